import { splitLines } from '../../base/index.js';
import type { Catalog } from '../../engine/index.js';
import { roomIn } from './blocks.js';
import { checkLine, LineError, type LineNames } from './check-batch-line.js';
import { type SealedChunk, sealChunk, type ValidLine } from './chunks.js';
import { type Cut, Refusal } from './cut-file.js';
import { type ModelTokens, TokenSums } from './estimate-cost.js';
import { type FileTask, FileTasks, TasksUnread } from './file-tasks.js';
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
  /** The tasks that lines name; null: they have not been read yet. */
  readonly tasks: readonly FileTask[] | null;
  /** One number in shared memory; see `FileTasks`. */
  readonly searched: Int32Array;
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
 * Why the check of a file ends before its last line: a line is invalid, or the client has disconnected; a line names a task,
 * and the tasks have not been read; the questions of tasks were searched too often.
 */
export type Stopped = 'invalid' | 'tasks_unread' | 'too_much_searched';

/**
 * Takes cuts until none is left. Decodes no images. If the check has to end early, returns why and stops the other threads
 * too.
 */
export async function checkChunks(
  work: ChunkWork,
  catalog: Pick<Catalog, 'find'>,
  turns: FileTurns,
): Promise<CheckedChunk[] | Stopped> {
  const { cuts, next, allowedModels: allowed, tasks, searched } = work;
  const names = { catalog, allowed, tasks: new FileTasks(tasks, catalog, searched) };
  const checked: CheckedChunk[] = [];
  for (;;) {
    const number = Atomics.add(next, 0, 1);
    const cut = cuts[number];
    if (cut === undefined) return checked;
    const chunk = await turns.cut(() => checkChunk(work, number, cut, names));
    if (typeof chunk === 'string' || turns.isClientGone) {
      Atomics.store(next, 0, cuts.length);
      return typeof chunk === 'string' ? chunk : 'invalid';
    }
    checked.push(chunk);
  }
}

function checkChunk(
  work: ChunkWork,
  number: number,
  { start, end, first }: Cut,
  names: LineNames,
): CheckedChunk | Stopped {
  const { file, block } = work;
  const lines: ValidLine[] = [];
  const tokens = new TokenSums();
  const withImages: Array<readonly [number, number]> = [];
  try {
    for (const { bytes } of splitLines(Buffer.from(file.buffer, file.byteOffset + start, end - start))) {
      const line = checkLine(bytes, names, () => {});
      const { customId, model, task } = line;
      const at = bytes.byteOffset - file.byteOffset;
      if (line.checkImages !== null) withImages.push([at, at + bytes.length]);
      lines.push({ customId, model, task, bytes });
      tokens.add(line);
    }
  } catch (error) {
    return stoppedBy(error);
  }
  return {
    number,
    sealed: sealChunk(work, number, first, lines, (bytes) => roomIn(block, bytes)),
    customIds: lines.map(({ customId }) => customId),
    models: tokens.all(),
    withImages,
  };
}

/** Between threads, errors lose their class. */
function stoppedBy(error: unknown): Stopped {
  if (error instanceof LineError) return 'invalid';
  if (error instanceof TasksUnread) return 'tasks_unread';
  if (error instanceof Refusal) return 'too_much_searched';
  throw error;
}

/** Decodes the images of checked chunks, one after another. False: a line is invalid. Rejects with Refusal. */
export async function checkImages(
  chunks: readonly CheckedChunk[],
  { file }: Pick<ChunkWork, 'file'>,
  names: LineNames,
  turns: FileTurns,
): Promise<boolean> {
  for (const [start, end] of chunks.flatMap(({ withImages }) => withImages)) {
    const bytes = Buffer.from(file.buffer, file.byteOffset + start, end - start);
    try {
      const line = await turns.cut(() => checkLine(bytes, names, () => {}));
      await line.checkImages?.(turns.reader, turns.image);
    } catch (error) {
      if (error instanceof LineError) return false;
      throw error;
    }
  }
  return true;
}
