import { placeOf, seal, unseal } from '../sealing/index.js';
import type { ChunkIds, LineTask } from './ingest/chunks.js';

const LINE_FEED = 10;

/** What a thread needs to decrypt the values of a batch. */
export interface BatchKey {
  readonly id: string;
  readonly dataKey: Uint8Array;
}

/** A line that has no result yet. */
export interface BatchLine {
  /** Position in the batch, from 0. */
  readonly index: number;
  /** The chunk that holds it. */
  readonly chunk: number;
  readonly customId: string;
  /** As the line or its task names it. */
  readonly model: string;
  /** Null: it has questions of its own. */
  readonly task: LineTask | null;
  /** JSON: a decide request with further fields. */
  readonly body: Buffer;
  /** Tries so far. */
  readonly tries: number;
}

/** The stored values of one chunk, encrypted. */
export interface StoredChunk {
  /** The value in the table `batch_lines`. */
  readonly lines: Uint8Array;
  /** The value in the table `batch_ids`. */
  readonly ids: Uint8Array;
}

/** Decrypts the lines of a chunk as they were sent. Throws StoreError if a value is damaged. */
export function openLines(key: BatchKey, chunk: number, stored: StoredChunk): BatchLine[] {
  const { first, ids, tasks } = openIds(key, chunk, stored.ids);
  const bytes = unseal(key.dataKey, placeOf('batch_lines', key.id, chunk), stored.lines);
  let start = 0;
  return ids.map(([customId, model, task], at) => {
    const end = bytes.indexOf(LINE_FEED, start);
    const body = bytes.subarray(start, end < 0 ? bytes.length : end);
    start += body.length + 1;
    return { index: first + at, chunk, customId, model, task: taskAt(tasks, task), body, tries: 0 };
  });
}

/** The task at a place of `ChunkIds.tasks`; null: the line names none. */
const taskAt = (tasks: ChunkIds['tasks'], at: number | undefined): LineTask | null =>
  at === undefined ? null : (tasks?.[at] ?? null);

/** Decrypts the ids of a chunk. Throws StoreError if the value is damaged. */
export function openIds({ id, dataKey }: BatchKey, chunk: number, sealed: Uint8Array): ChunkIds {
  return JSON.parse(unseal(dataKey, placeOf('batch_ids', id, chunk), sealed).toString()) as ChunkIds;
}

/** Encrypts the result of a line, which is JSON. */
export function sealResult({ id, dataKey }: BatchKey, line: number, json: string): Buffer {
  return seal(dataKey, placeOf('batch_results', id, line), Buffer.from(json));
}

/** Decrypts the result of a line. Throws StoreError if the value is damaged. */
export function openResult({ id, dataKey }: BatchKey, line: number, sealed: Uint8Array): Buffer {
  return unseal(dataKey, placeOf('batch_results', id, line), sealed);
}

/** Encrypts the webhook address of a batch. */
export function sealWebhook({ id, dataKey }: BatchKey, address: string): Buffer {
  return seal(dataKey, placeOf('batch_webhooks', id), Buffer.from(address));
}

/** Decrypts the webhook address of a batch. Throws StoreError if the value is damaged. */
export function openWebhook({ id, dataKey }: BatchKey, sealed: Uint8Array): string {
  return unseal(dataKey, placeOf('batch_webhooks', id), sealed).toString();
}
