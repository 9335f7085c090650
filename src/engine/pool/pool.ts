import { Piscina } from 'piscina';
import type { Plan, PlanLogits } from '../wave/index.js';
import {
  type LoadProgress,
  type WaveResult,
  type WaveTask,
  WORKER_FILE,
  type WorkerSetup,
} from '../worker/index.js';

/** How long a thread may take to end after its wave, in milliseconds. */
const CLOSE_TIMEOUT_MS = 10_000;

/**
 * The engine threads of one model on one device. It starts them, hands each one task at a time, replaces one
 * that dies, and ends them. What a task means is none of its business.
 */
export class EnginePool {
  private readonly pool: Piscina<WaveTask, WaveResult>;
  private readonly cancel: Int32Array;

  constructor(
    setup: Omit<WorkerSetup, 'cancel'>,
    readonly size: number,
    onLoadProgress: (fraction: number) => void = () => {},
  ) {
    this.cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.pool = new Piscina({
      filename: WORKER_FILE,
      minThreads: size,
      maxThreads: size,
      idleTimeout: Number.POSITIVE_INFINITY,
      // A thread that waits in Atomics.wait cannot be ended while a native call of its own is pending.
      atomics: 'disabled',
      concurrentTasksPerWorker: 1,
      maxQueue: size,
      closeTimeout: CLOSE_TIMEOUT_MS,
      workerData: { ...setup, cancel: this.cancel } satisfies WorkerSetup,
    });
    this.pool.on('message', ({ loaded }: LoadProgress) => onLoadProgress(loaded));
    // A thread that dies without a task is replaced by the pool; its next task would tell.
    this.pool.on('error', () => {});
  }

  /** Resolves when every thread has its context; rejects with the first thread's error. */
  async ready(): Promise<void> {
    await Promise.all(Array.from({ length: this.size }, () => this.pool.run({ plans: [] })));
  }

  /** Runs one wave on a free thread. Rejects with the addon's error, or where the thread ends. */
  run(plans: readonly Plan[]): Promise<readonly PlanLogits[]> {
    return this.pool.run({ plans });
  }

  /** Ends the waves under way: they reject with `cancelled`. For the end of the process. */
  cancelAll(): void {
    Atomics.store(this.cancel, 0, 1);
  }

  async close(): Promise<void> {
    await this.pool.close({ force: false });
  }

  /** The threads, for tests that end one. */
  get threads() {
    return this.pool.threads;
  }
}
