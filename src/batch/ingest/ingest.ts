import { ApiError, type ContentEncoding, type ErrorType, LIMITS } from '../../api/index.js';
import { decompress } from '../../decide/index.js';
import type { Catalog } from '../../engine/index.js';
import { type Blocks, copierInto, freeBlock } from './blocks.js';
import { checkFile } from './check-file.js';
import { ChunkSealer, type SealedChunk } from './chunks.js';
import { type ModelTokens, TokenSums } from './estimate.js';
import { Refusal } from './refusal.js';

/** A batch file as it was sent, and what it is sealed for. */
export interface IngestTask {
  readonly file: Uint8Array;
  readonly encoding: ContentEncoding;
  /** The ids of the models that the caller may use; null: all. */
  readonly allowedModels: readonly string[] | null;
  readonly batch: string;
  readonly dataKey: Uint8Array;
}

export type IngestResult =
  | {
      readonly ok: true;
      readonly lines: number;
      readonly chunks: readonly SealedChunk[];
      /** The memory of the chunks: `freeBlock` it when they are not read any more. */
      readonly block: SharedArrayBuffer | undefined;
      /** Every model that a line names, in the order of their first lines. */
      readonly models: readonly ModelTokens[];
    }
  | {
      readonly ok: false;
      readonly type: ErrorType;
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>>;
    };

/**
 * From the bytes of a batch file to its sealed chunks: everything about a submission that takes time, for a thread of
 * its own, which must have awaited `loadZstd`. Never rejects for a file, however broken.
 */
export async function ingest(
  { file, encoding, allowedModels: allowed, batch, dataKey }: IngestTask,
  catalog: Catalog,
  blocks: Blocks,
): Promise<IngestResult> {
  const block = blocks.take();
  const sealer = new ChunkSealer(batch, dataKey, copierInto(block));
  const tokens = new TokenSums();
  const sent = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  try {
    const plain = decompress(sent, encoding, LIMITS.decompressedBodyBytes);
    const lines = await checkFile(plain, { catalog, allowed }, (line) => {
      sealer.add(line);
      tokens.add(line);
    });
    return { ok: true, lines, chunks: sealer.finish(), block, models: tokens.all() };
  } catch (error) {
    freeBlock(block);
    if (error instanceof Refusal) {
      return { ok: false, type: error.type, message: error.message, details: error.details };
    }
    if (error instanceof ApiError) {
      return { ok: false, type: error.type, message: error.message, details: {} };
    }
    throw error;
  }
}
