import type { Caller } from '../access/index.js';
import { FairQueue, type Shares, ThreadPool, usableCores } from '../base/index.js';
import {
  type DigestResult,
  type DigestTask,
  INGEST_THREAD,
  type IngestResult,
  type IngestSetup,
  type IngestTask,
  type WithManifest,
  YOUNG_MEBIBYTES,
} from '../batch/index.js';
import type { Manifest } from '../engine/index.js';
import { inTurn } from './queue-full.js';

/**
 * Files that are read concurrently, in turns, so that one that takes minutes (thousands of images) does not delay other
 * keys. Each takes up to 100 MiB of memory.
 */
export const FILES_AT_ONCE_MAX: Shares = { key: 1, workspace: 2, all: 4 };
/** Files that may wait; more per key than it may have open batches. Their bytes are bounded in http/. */
export const FILES_WAITING_MAX: Shares = { key: 16, workspace: 32, all: 128 };
/** Threads that help with a large file if there are cores for them: two threads take half the time of one. */
const HELPERS_MAX = 3;

/** The thread that reads batch files, which starts with the first one. Keys take turns. */
export class BatchFiles {
  private readonly thread: ThreadPool;
  private readonly queue = new FairQueue(FILES_AT_ONCE_MAX, FILES_WAITING_MAX);

  /**
   * @param manifest the one of now, by which files are checked
   * @param models the folder of the manifest
   */
  constructor(
    private readonly manifest: () => Manifest,
    models: string,
  ) {
    const helpers = Math.min(HELPERS_MAX, usableCores() - 1);
    this.thread = new ThreadPool({
      file: INGEST_THREAD,
      threads: 1,
      tasksPerThread: FILES_AT_ONCE_MAX.all,
      data: { models, helpers, filesAtOnce: FILES_AT_ONCE_MAX.all } satisfies IngestSetup,
      youngMebibytes: YOUNG_MEBIBYTES,
    });
  }

  /** Rejects with ApiError `overloaded` if too many files wait. */
  ingest(task: IngestTask, caller: Caller): Promise<IngestResult> {
    const withManifest = (): WithManifest<IngestTask> => ({ task, manifest: this.manifest() });
    return this.run('ingest', withManifest, caller);
  }

  /** Rejects with ApiError `overloaded` if too many files wait. */
  digest(task: DigestTask, caller: Caller): Promise<DigestResult> {
    return this.run('digest', () => task, caller);
  }

  close(): Promise<void> {
    return this.thread.close();
  }

  private run<Answer>(name: string, task: () => unknown, { key, workspace }: Caller): Promise<Answer> {
    const owner = { key: key.id, workspace: workspace.id };
    return inTurn(this.queue, owner, 'batch files', () => this.thread.run<Answer>(name, task()));
  }
}
