import { splitLines } from '../../base/index.js';
import type { Catalog } from '../../engine/index.js';
import { roomIn } from './blocks.js';
import { checkLine, LineError } from './check-batch-line.js';
import { type SealedChunk, sealChunk, type ValidLine } from './chunks.js';
import type { Cut } from './cut-file.js';
import { type ModelTokens, TokenSums } from './estimate-cost.js';
import type { FileOwner, FileTurns } from './file-turns.js';

/** The cuts of a file, which several threads check and seal together. */
export interface ChunkWork extends FileOwner {
  /** In shared memory if several threads read it. */
  readonly file: Uint8Array;
  readonly cuts: readonly Cut[];
  /** One number in shared memory: the index of the next cut to take. */
  readonly next: Int32Array;
  /** The models the caller may use; null: all. */
  readonly allowedModels: readonly string[] | null;
  readonly batch: string;
  readonly dataKey: Uint8Array;
  /** Memory for the sealed chunks. */
  readonly block: SharedArrayBuffer | undefined;
}

/** A cut whose lines are all valid individually, except for images that have not been decoded. */
export interface CheckedChunk {
  readonly number: number;
  /** In shared memory. */
  readonly sealed: SealedChunk;
  readonly customIds: readonly string[];
  readonly models: readonly ModelTokens[];
  /** Where lines with images begin and end in the file. */
  readonly withImages: ReadonlyArray<readonly [start: number, end: number]>;
}

/**
 * Takes cuts until none is left. Decodes no images. At the first invalid line, or when the client has disconnected, returns
 * null and stops the other threads too.
 */
export async function checkChunks(
  work: ChunkWork,
  catalog: Pick<Catalog, 'find'>,
  turns: FileTurns,
): Promise<CheckedChunk[] | null> {
  const { cuts, next } = work;
  const checked: CheckedChunk[] = [];
  for (;;) {
    const number = Atomics.add(next, 0, 1);
    const cut = cuts[number];
    if (cut === undefined) return checked;
    const chunk = await turns.cut(() => checkChunk(work, number, cut, catalog));
    if (chunk === null || turns.isClientGone) {
      Atomics.store(next, 0, cuts.length);
      return null;
    }
    checked.push(chunk);
  }
}

function checkChunk(
  work: ChunkWork,
  number: number,
  { start, end, first }: Cut,
  catalog: Pick<Catalog, 'find'>,
): CheckedChunk | null {
  const { file, allowedModels: allowed, block } = work;
  const lines: ValidLine[] = [];
  const tokens = new TokenSums();
  const withImages: Array<readonly [number, number]> = [];
  try {
    for (const { bytes } of splitLines(Buffer.from(file.buffer, file.byteOffset + start, end - start))) {
      const line = checkLine(bytes, { catalog, allowed }, () => {});
      const at = bytes.byteOffset - file.byteOffset;
      if (line.checkImages !== null) withImages.push([at, at + bytes.length]);
      lines.push({ customId: line.customId, model: line.model, bytes });
      tokens.add(line);
    }
  } catch (error) {
    if (error instanceof LineError) return null;
    throw error;
  }
  return {
    number,
    sealed: sealChunk(work, number, first, lines, (bytes) => roomIn(block, bytes)),
    customIds: lines.map(({ customId }) => customId),
    models: tokens.all(),
    withImages,
  };
}

/** Decodes the images of checked chunks, one after another. False: a line is invalid. Rejects with Refusal. */
export async function checkImages(
  chunks: readonly CheckedChunk[],
  { file, allowedModels: allowed }: Pick<ChunkWork, 'file' | 'allowedModels'>,
  catalog: Pick<Catalog, 'find'>,
  turns: FileTurns,
): Promise<boolean> {
  for (const [start, end] of chunks.flatMap(({ withImages }) => withImages)) {
    const bytes = Buffer.from(file.buffer, file.byteOffset + start, end - start);
    try {
      const line = await turns.cut(() => checkLine(bytes, { catalog, allowed }, () => {}));
      await line.checkImages?.(turns.reader, turns.image);
    } catch (error) {
      if (error instanceof LineError) return false;
      throw error;
    }
  }
  return true;
}
