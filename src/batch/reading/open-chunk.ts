import { StoreError } from '../../base/index.js';
import { type BatchKey, type BatchLine, openLines, type StoredChunk } from '../sealed-values.js';
import { inGroups, type OrderedLine, stateGroups } from './order.js';

/** A chunk of lines to read. */
export interface ChunkTask {
  readonly batch: BatchKey;
  readonly chunk: number;
}

/** The lines of a chunk, or what is wrong with it: between threads, errors lose their class. */
export type ChunkAnswer =
  | {
      readonly ok: true;
      /** The position of the first line in the batch. */
      readonly first: number;
      readonly lines: ReadonlyArray<Pick<BatchLine, 'customId' | 'model' | 'task'>>;
      /** In shared memory, so that lines need not be copied between threads. */
      readonly text: Uint8Array;
      /** The end of each line in `text`, where the next one begins. */
      readonly ends: readonly number[];
      /** See `stateGroups`. */
      readonly groups: readonly number[];
    }
  | { readonly ok: false; readonly message: string };

/** Where the runner reads chunks of lines. */
export interface ChunkSource {
  /** Resolves with the lines of a chunk. Rejects if the thread that reads them ended. */
  chunk(task: ChunkTask): Promise<ChunkAnswer>;
}

/** Decrypts a chunk of lines. Takes time: not for the main thread. */
export function openChunk({ batch, chunk }: ChunkTask, stored: StoredChunk): ChunkAnswer {
  return chunkAnswer(() => openLines(batch, chunk, stored));
}

/** The answer with the lines that `read` returns. A StoreError of `read` becomes its message. */
export function chunkAnswer(read: () => readonly BatchLine[]): ChunkAnswer {
  try {
    const lines = read();
    const bytes = lines.reduce((sum, { body }) => sum + body.length, 0);
    const text = Buffer.from(new SharedArrayBuffer(bytes));
    let end = 0;
    const ends = lines.map(({ body }) => {
      end += body.copy(text, end);
      return end;
    });
    return {
      ok: true,
      first: lines[0]?.index ?? 0,
      lines: lines.map(({ customId, model, task }) => ({ customId, model, task })),
      text,
      ends,
      groups: stateGroups(lines),
    };
  } catch (error) {
    if (error instanceof StoreError) return { ok: false, message: error.message };
    throw error;
  }
}

/** The lines of a chunk that are waiting, in the order in which they run. Their bodies are views of `text`. */
export function linesOf(
  chunk: number,
  { first, lines: named, text, ends, groups }: Extract<ChunkAnswer, { ok: true }>,
  waits: (index: number) => boolean,
): OrderedLine[] {
  const lines: Array<{ line: BatchLine; group: number }> = [];
  for (const [at, own] of named.entries()) {
    const index = first + at;
    if (!waits(index)) continue;
    const start = ends[at - 1] ?? 0;
    const body = Buffer.from(text.buffer, text.byteOffset + start, (ends[at] as number) - start);
    lines.push({
      line: { ...own, index, chunk, body, tries: 0 },
      group: groups[at] as number,
    });
  }
  return inGroups(lines);
}
