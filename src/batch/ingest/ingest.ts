import { ApiError, type ContentEncoding, type ErrorType, LIMITS } from '../../api/index.js';
import { decompress } from '../../decide/index.js';
import type { Catalog } from '../../engine/index.js';
import { type Blocks, freeBlock } from './blocks.js';
import { type CheckedChunk, type ChunkWork, checkChunks } from './check-chunks.js';
import { checkBatchFile } from './check-file.js';
import type { SealedChunk } from './chunks.js';
import { cutFile, Refusal } from './cut-file.js';
import { type ModelTokens, TokenSums } from './estimate.js';

/** A file with fewer cuts is checked before other threads would have started. */
const SHARED_CUTS_MIN = 8;

/** A batch file as it was sent, and the batch it becomes. */
export interface IngestTask {
  readonly file: Uint8Array;
  readonly encoding: ContentEncoding;
  /** The models the caller may use; null: all. */
  readonly allowedModels: readonly string[] | null;
  readonly batch: string;
  readonly dataKey: Uint8Array;
}

/** The stored form of a valid file. */
export interface Ingested {
  readonly lines: number;
  /** In the order of the file, in shared memory. */
  readonly chunks: readonly SealedChunk[];
  /** The memory of the chunks. Call `freeBlock` when they are no longer read. */
  readonly block: SharedArrayBuffer | undefined;
  /** The models named by the lines, in the order of their first lines. */
  readonly models: readonly ModelTokens[];
}

export type IngestResult =
  | ({ readonly ok: true } & Ingested)
  | {
      readonly ok: false;
      readonly type: ErrorType;
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>>;
    };

/** What the file thread provides. */
interface IngestTools {
  readonly catalog: Catalog;
  readonly blocks: Blocks;
  /** Runs `checkChunks` on other threads. Resolves with the result of each when no cut is left to take. */
  help(work: ChunkWork): Promise<ReadonlyArray<CheckedChunk[] | null>>;
}

/**
 * Turns the bytes of a batch file into sealed chunks: all parts of a submission that take time. Runs on the file thread.
 * Never rejects, whatever the file.
 */
export async function ingest(task: IngestTask, tools: IngestTools): Promise<IngestResult> {
  const { file, encoding, allowedModels: allowed } = task;
  try {
    const sent = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
    const plain = await decompress(sent, encoding, LIMITS.decompressedBodyBytes);
    const ingested = await takeIn(plain, task, tools);
    if (ingested !== null) return { ok: true, ...ingested };
    // A line is invalid: check all of them one by one for the error.
    await checkBatchFile(plain, { catalog: tools.catalog, allowed });
    throw new Error('two checks of a file disagree');
  } catch (error) {
    if (error instanceof Refusal) {
      return { ok: false, type: error.type, message: error.message, details: error.details };
    }
    if (error instanceof ApiError) {
      return { ok: false, type: error.type, message: error.message, details: {} };
    }
    throw error;
  }
}

/** Null if a line is invalid or two lines have the same id. Throws Refusal if the file as a whole is invalid. */
async function takeIn(
  plain: Buffer,
  { allowedModels, batch, dataKey }: IngestTask,
  { catalog, blocks, help }: IngestTools,
): Promise<Ingested | null> {
  const { cuts, lines } = cutFile(plain);
  const shared = cuts.length >= SHARED_CUTS_MIN;
  const file = shared ? shareable(plain) : plain;
  const next = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const block = blocks.take();
  const work = { file, cuts, next, allowedModels, batch, dataKey, block };
  // The helpers first: this thread blocks while it checks its own part. If a helper dies, the block is not reused,
  // because the other helpers may still write into it.
  const parts = await Promise.all([shared ? help(work) : [], checkChunks(work, catalog)]);
  const chunks = inOrder([...parts[0], parts[1]]);
  if (chunks === null) {
    freeBlock(block);
    return null;
  }
  if (chunks.length !== cuts.length) throw new Error('a part of a file was not checked');
  const tokens = new TokenSums();
  for (const model of chunks.flatMap(({ models }) => models)) tokens.add(model);
  return { lines, chunks: chunks.map(({ sealed }) => sealed), block, models: tokens.all() };
}

/** Null if a part of the file is invalid, or two lines have the same id. */
function inOrder(parts: ReadonlyArray<readonly CheckedChunk[] | null>): readonly CheckedChunk[] | null {
  const chunks: CheckedChunk[] = [];
  for (const part of parts) {
    if (part === null) return null;
    chunks.push(...part);
  }
  const seen = new Set<string>();
  for (const { customIds } of chunks) {
    for (const customId of customIds) {
      if (seen.has(customId)) return null;
      seen.add(customId);
    }
  }
  return chunks.sort((one, other) => one.number - other.number);
}

/** The same bytes in shared memory. */
function shareable(bytes: Buffer): Uint8Array {
  const { buffer, byteOffset, length } = bytes;
  if (buffer instanceof SharedArrayBuffer) return new Uint8Array(buffer, byteOffset, length);
  const copy = new Uint8Array(new SharedArrayBuffer(length));
  copy.set(bytes);
  return copy;
}
