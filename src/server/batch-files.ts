import type { Caller } from '../access/index.js';
import { FairQueue, type Owner, type Shares, ThreadPool, usableCores } from '../base/index.js';
import {
  type DigestResult,
  FILE_ROOMS,
  type FileRoom,
  type IngestResult,
  type IngestSetup,
  type IngestTask,
  ingestThread,
  type SentFile,
  SMALL_FILE_BYTES,
  TasksWanted,
  type WantedNames,
  YOUNG_MEBIBYTES,
} from '../batch/index.js';
import type { Manifest } from '../engine/index.js';
import { inTurn } from './queue-full.js';

/** Files that are read concurrently, in turns. A small one takes up to 3 MiB of memory, another one up to 100 MiB. */
export const FILES_AT_ONCE_MAX: Readonly<Record<FileRoom, Shares>> = {
  small: { key: 1, workspace: 8, all: 64 },
  texts: { key: 1, workspace: 2, all: 3 },
  images: { key: 1, workspace: 1, all: 2 },
};
/** Files that may wait for each room; more per key than it may have open batches. Their bytes are bounded in http/. */
export const FILES_WAITING_MAX: Shares = { key: 16, workspace: 32, all: 128 };
/** Threads that help with a large file if there are cores for them: two threads take half the time of one. */
const HELPERS_MAX = 3;

/** The thread that reads batch files, which starts with the first one. Keys take turns. */
export class BatchFiles {
  private readonly thread: ThreadPool;
  private readonly rooms: Readonly<Record<FileRoom, FairQueue>>;

  /**
   * @param manifest the one of now, by which files are checked
   * @param models the folder of the manifest
   */
  constructor(
    private readonly manifest: () => Manifest,
    models: string,
  ) {
    const queue = (room: FileRoom) => new FairQueue(FILES_AT_ONCE_MAX[room], FILES_WAITING_MAX);
    this.rooms = { small: queue('small'), texts: queue('texts'), images: queue('images') };
    const helpers = Math.min(HELPERS_MAX, usableCores() - 1);
    const filesAtOnce = FILE_ROOMS.reduce((sum, room) => sum + FILES_AT_ONCE_MAX[room].all, 0);
    this.thread = new ThreadPool({
      file: ingestThread(),
      threads: 1,
      tasksPerThread: filesAtOnce,
      data: { models, helpers, filesAtOnce } satisfies IngestSetup,
      youngMebibytes: YOUNG_MEBIBYTES,
    });
  }

  /**
   * Rejects with ApiError `overloaded` if too many files wait, with the signal's reason if it aborts while the file waits,
   * and with TasksWanted. The memory of the file may then be reused.
   */
  async ingest(task: IngestTask, signal: AbortSignal): Promise<IngestResult> {
    const result = await this.run<IngestResult | WantedNames>('ingest', task, task.owner, signal);
    if ('wanted' in result) throw new TasksWanted(result.wanted);
    return result;
  }

  /** Rejects as `ingest` does. */
  digest(task: SentFile, { key, workspace }: Caller, signal: AbortSignal): Promise<DigestResult> {
    return this.run('digest', task, { key: key.id, workspace: workspace.id }, signal);
  }

  close(): Promise<void> {
    return this.thread.close();
  }

  /** Runs a task in the room of its file, which is known when a part of the file has been read. */
  private async run<Result extends object>(
    name: string,
    task: SentFile,
    owner: Owner,
    signal: AbortSignal,
  ): Promise<Result> {
    let room: FileRoom = task.file.byteLength > SMALL_FILE_BYTES ? 'texts' : 'small';
    for (;;) {
      const start = () => this.thread.run<Result | FileRoom>(name, { task, room, manifest: this.manifest() });
      const result: Result | FileRoom = await inTurn(this.rooms[room], owner, 'batch files', start, signal);
      if (typeof result === 'object') return result;
      room = result;
    }
  }
}
