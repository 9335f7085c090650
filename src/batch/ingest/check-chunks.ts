import { splitLines } from '../../base/index.js';
import type { Catalog } from '../../engine/index.js';
import { ImageReader } from '../../images/index.js';
import { roomIn } from './blocks.js';
import { checkLine, LineError } from './check-line.js';
import { type SealedChunk, sealChunk, type ValidLine } from './chunks.js';
import type { Cut } from './cut-file.js';
import { type ModelTokens, TokenSums } from './estimate.js';
import { FileTurns } from './file-turns.js';

/** The cuts of a file, which several threads check and seal together. */
export interface ChunkWork {
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

/** A cut whose lines are all valid individually. */
export interface CheckedChunk {
  readonly number: number;
  /** In shared memory. */
  readonly sealed: SealedChunk;
  readonly customIds: readonly string[];
  readonly models: readonly ModelTokens[];
}

/** Takes cuts until none is left. At the first invalid line, returns null and stops the other threads too. */
export async function checkChunks(
  work: ChunkWork,
  catalog: Pick<Catalog, 'find'>,
): Promise<CheckedChunk[] | null> {
  const { cuts, next } = work;
  const reader = new ImageReader();
  const turns = new FileTurns();
  const checked: CheckedChunk[] = [];
  for (;;) {
    const number = Atomics.add(next, 0, 1);
    const cut = cuts[number];
    if (cut === undefined) return checked;
    const chunk = await checkChunk(work, number, cut, catalog, reader);
    if (chunk === null) {
      Atomics.store(next, 0, cuts.length);
      return null;
    }
    checked.push(chunk);
    const turn = turns.after(cut.end - cut.start);
    if (turn !== null) await turn;
  }
}

async function checkChunk(
  work: ChunkWork,
  number: number,
  { start, end, first }: Cut,
  catalog: Pick<Catalog, 'find'>,
  reader: ImageReader,
): Promise<CheckedChunk | null> {
  const { file, allowedModels: allowed, block } = work;
  const lines: ValidLine[] = [];
  const tokens = new TokenSums();
  try {
    for (const { bytes } of splitLines(Buffer.from(file.buffer, file.byteOffset + start, end - start))) {
      const line = checkLine(bytes, { catalog, allowed }, () => {});
      if (line.checkImages !== null) await line.checkImages(reader);
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
  };
}
