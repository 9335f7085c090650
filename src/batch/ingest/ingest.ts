import { ApiError, type ContentEncoding, type ErrorType, LIMITS } from '../../api/index.js';
import { decompress } from '../../decide/index.js';
import type { Catalog } from '../../engine/index.js';
import { type Blocks, freeBlock } from './blocks.js';
import { type CheckedChunk, type ChunkWork, checkChunks } from './check-chunks.js';
import { checkBatchFile } from './check-file.js';
import type { SealedChunk } from './chunks.js';
import { cutFile, Refusal } from './cut-file.js';
import { type ModelTokens, TokenSums } from './estimate.js';

/** A file of fewer cuts is checked sooner than other threads have begun. */
const SHARED_CUTS_MIN = 8;

/** A batch file as it was sent, and what it is sealed for. */
export interface IngestTask {
  readonly file: Uint8Array;
  readonly encoding: ContentEncoding;
  /** The ids of the models that the caller may use; null: all. */
  readonly allowedModels: readonly string[] | null;
  readonly batch: string;
  readonly dataKey: Uint8Array;
}

/** What a file becomes. */
export interface Ingested {
  readonly lines: number;
  /** In order, and in shared memory. */
  readonly chunks: readonly SealedChunk[];
  /** The memory of the chunks: `freeBlock` it when they are not read any more. */
  readonly block: SharedArrayBuffer | undefined;
  /** Every model that a line names, in the order of their first lines. */
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

/** What the thread that takes files in works with. */
export interface IngestTools {
  readonly catalog: Catalog;
  readonly blocks: Blocks;
  /** Lets other threads `checkChunks`: what each of them did of it, when there is nothing left to take. */
  help(work: ChunkWork): Promise<ReadonlyArray<CheckedChunk[] | null>>;
}

/**
 * From the bytes of a batch file to its sealed chunks: everything about a submission that takes time, for a thread of
 * its own, which must have awaited `loadZstd`. Never rejects for a file, however broken.
 */
export async function ingest(task: IngestTask, tools: IngestTools): Promise<IngestResult> {
  const { file, encoding, allowedModels: allowed } = task;
  try {
    const sent = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
    const plain = decompress(sent, encoding, LIMITS.decompressedBodyBytes);
    const ingested = await takeIn(plain, task, tools);
    if (ingested !== null) return { ok: true, ...ingested };
    // Something is wrong with it: this finds out what, line by line.
    await checkBatchFile(plain, { catalog: tools.catalog, allowed });
    throw new Error('A file was found to be both valid and not.');
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

/** Null where a line is not valid, or two have one id. Throws Refusal for what is wrong with the file as a whole. */
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
  // The others first: this thread does not look up from its own part. Where one of them dies the block is lost, for
  // others may still write into it.
  const parts = await Promise.all([shared ? help(work) : [], checkChunks(work, catalog)]);
  const chunks = inOrder([...parts[0], parts[1]]);
  if (chunks === null) {
    freeBlock(block);
    return null;
  }
  if (chunks.length !== cuts.length) throw new Error('A part of a file was checked by nobody.');
  const tokens = new TokenSums();
  for (const model of chunks.flatMap(({ models }) => models)) tokens.add(model);
  return { lines, chunks: chunks.map(({ sealed }) => sealed), block, models: tokens.all() };
}

/** Null where a part of the file is not valid, or two lines have one id. */
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

/** The same bytes where other threads can see them. */
function shareable(bytes: Buffer): Uint8Array {
  const { buffer, byteOffset, length } = bytes;
  if (buffer instanceof SharedArrayBuffer) return new Uint8Array(buffer, byteOffset, length);
  const copy = new Uint8Array(new SharedArrayBuffer(length));
  copy.set(bytes);
  return copy;
}
