import { ApiError, type ContentEncoding, type ErrorType } from '../../api/index.js';
import { sharedCopy } from '../../base/index.js';
import type { Catalog } from '../../engine/index.js';
import { type Blocks, freeBlock } from './blocks.js';
import { checkBatchFile } from './check-batch-file.js';
import { type CheckedChunk, type ChunkWork, checkChunks, checkImages, type Stopped } from './check-chunks.js';
import type { SealedChunk } from './chunks.js';
import { cutFile, Refusal } from './cut-file.js';
import { type ModelTokens, TokenSums } from './estimate-cost.js';
import { type FileTask, FileTasks, TasksUnread, tooManySearched } from './file-tasks.js';
import { type FileOwner, FileTurns } from './file-turns.js';
import { type FileRoom, openFile } from './rooms.js';
import type { ThreadTurns } from './thread-turns.js';
import { namesOfTasks, TasksWanted } from './wanted-tasks.js';

/** A file with fewer cuts is checked before other threads would have started. */
const SHARED_CUTS_MIN = 8;

/** A batch file as it was sent, and the batch it becomes. */
export interface IngestTask extends FileOwner {
  readonly file: Uint8Array;
  readonly encoding: ContentEncoding;
  /** The models the caller may use; null: all. */
  readonly allowedModels: readonly string[] | null;
  /** The tasks that the file names; null: they have not been read yet. */
  readonly tasks: readonly FileTask[] | null;
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
  readonly turns: ThreadTurns;
  /** Runs `checkChunks` on other threads. Resolves with the result of each when no cut is left to take. */
  help(work: ChunkWork): Promise<ReadonlyArray<CheckedChunk[] | Stopped>>;
}

/**
 * Turns the bytes of a batch file into sealed chunks: all parts of a submission that take time. Runs on the file thread.
 * Whatever the file, rejects with nothing but OtherRoom, and TasksWanted if the file names tasks and the task has none.
 */
export async function ingest(
  task: IngestTask,
  tools: IngestTools,
  room: FileRoom = 'images',
): Promise<IngestResult> {
  const { allowedModels: allowed, tasks } = task;
  const turns = new FileTurns(tools.turns, task, room !== 'texts');
  try {
    const plain = await openFile(task, room, questionBytes(tasks ?? []));
    try {
      const ingested = await takeIn(plain, task, tools, turns);
      if (ingested !== null) return { ok: true, ...ingested };
      // A line is invalid: check all of them one by one for the error.
      const { catalog } = tools;
      await checkBatchFile(plain, { catalog, allowed, tasks: new FileTasks(tasks, catalog) }, turns);
    } catch (error) {
      if (error instanceof TasksUnread) throw new TasksWanted(await namesOfTasks(plain, turns));
      throw error;
    }
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

/**
 * Null if a line is invalid or two lines have the same id. Throws Refusal if the file as a whole is invalid, TasksUnread if
 * a line names a task and the tasks have not been read.
 */
async function takeIn(
  plain: Buffer,
  { allowedModels, tasks, batch, dataKey, owner, stop }: IngestTask,
  { catalog, blocks, help }: IngestTools,
  turns: FileTurns,
): Promise<Ingested | null> {
  const { cuts, lines } = cutFile(plain);
  const shared = cuts.length >= SHARED_CUTS_MIN;
  const file = shared ? shareable(plain) : plain;
  const [next, searched] = [sharedNumber(), sharedNumber()];
  const block = shared ? blocks.take() : undefined;
  const work = { file, cuts, next, allowedModels, tasks, searched, batch, dataKey, block, owner, stop };
  // The helpers first: this thread blocks while it checks its own part. If a helper dies, the block is not reused,
  // because the other helpers may still write into it.
  const parts = await Promise.all([shared ? help(work) : [], checkChunks(work, catalog, turns)]);
  let chunks: readonly CheckedChunk[] | null = null;
  let isValid = false;
  try {
    chunks = inOrder([...parts[0], parts[1]]);
    if (chunks !== null && chunks.length !== cuts.length) throw new Error('a part of a file was not checked');
    const names = { catalog, allowed: allowedModels, tasks: new FileTasks(tasks, catalog) };
    isValid = chunks !== null && (await checkImages(chunks, work, names, turns));
  } finally {
    if (!isValid) freeBlock(block);
  }
  if (chunks === null || !isValid) return null;
  const tokens = new TokenSums();
  for (const model of chunks.flatMap(({ models }) => models)) tokens.add(model);
  return { lines, chunks: chunks.map(({ sealed }) => sealed), block, models: tokens.all() };
}

/** Null if a part of the file is invalid, or two lines have the same id. Throws Refusal, TasksUnread. */
function inOrder(parts: ReadonlyArray<readonly CheckedChunk[] | Stopped>): readonly CheckedChunk[] | null {
  if (parts.includes('tasks_unread')) throw new TasksUnread();
  if (parts.includes('too_much_searched')) throw tooManySearched();
  const chunks: CheckedChunk[] = [];
  for (const part of parts) {
    if (typeof part === 'string') return null;
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

const questionBytes = (tasks: readonly FileTask[]) =>
  tasks.reduce((sum, { questions }) => sum + questions.length, 0);

const sharedNumber = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** The same bytes in shared memory. */
function shareable(bytes: Buffer): Uint8Array {
  const { buffer, byteOffset, length } = bytes;
  if (buffer instanceof SharedArrayBuffer) return new Uint8Array(buffer, byteOffset, length);
  return sharedCopy(bytes);
}
