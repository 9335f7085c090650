import { entryFile, ThreadPool } from '../base/index.js';
import type { LoadProgress, ThreadReport, WorkerSetup } from './engine-worker.js';
import { TOKENIZING_STACK_MEBIBYTES } from './profile/long-texts.js';
import type { WaveResult, WaveTask } from './wave/task.js';

/** The message of a wave that was aborted, as the addon throws it (native/source/context.cc). */
const CANCELLED = 'the decode was cancelled';

/** Whether a wave failed because `cancel` aborted it. The error loses its class between threads. */
export const isCancelled = (error: unknown): boolean => error instanceof Error && error.message === CANCELLED;

/**
 * One engine thread and the context it owns. It runs one wave at a time; a thread that dies is replaced.
 *
 * Each has a pool of one thread, instead of all sharing one pool: the scheduler has to know which context a wave runs on.
 */
export class EngineThread {
  private readonly cancelWord = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly pool: ThreadPool;

  /** @param setup `number`: see `WaveRecord` */
  constructor(
    private readonly setup: Omit<WorkerSetup, 'cancel'>,
    onLoadProgress: (fraction: number) => void = () => {},
    onReplace: () => void = () => {},
  ) {
    this.pool = new ThreadPool({
      file: entryFile('engine/engine-worker'),
      threads: 1,
      // It tokenizes the templates of the model file.
      stackMebibytes: TOKENIZING_STACK_MEBIBYTES,
      data: { ...setup, cancel: this.cancelWord } satisfies WorkerSetup,
      onMessage: (message) => onLoadProgress((message as LoadProgress).loaded),
      onReplace,
    });
  }

  get number(): number {
    return this.setup.number;
  }

  /** The device that it computes on; '' for the CPU. */
  get device(): string {
    return this.setup.device;
  }

  /** Resolves when the thread has a context that has computed its first waves; rejects with the error that ended it. */
  ready(): Promise<ThreadReport> {
    return this.pool.run('ready', null);
  }

  /** Runs a wave. Rejects with the addon's error or if the thread dies; the context is then empty. */
  run(task: WaveTask): Promise<WaveResult> {
    return this.pool.run('wave', task);
  }

  /** Aborts loading, or the wave in progress, which rejects with an error of which `isCancelled` is true. For shutdown. */
  cancel(): void {
    Atomics.store(this.cancelWord, 0, 1);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  /** The thread itself, for tests that end it. */
  get worker() {
    return this.pool.workers[0];
  }
}
