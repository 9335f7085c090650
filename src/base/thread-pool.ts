import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';

/** How long a thread may take to end after its task, in milliseconds. */
const CLOSE_TIMEOUT_MS = 10_000;

export interface ThreadPoolOptions {
  /** The compiled module that every thread runs. */
  readonly file: URL;
  readonly threads: number;
  /** Given to every thread when it starts. */
  readonly data: unknown;
  /** Tasks of one thread at one time, for functions that let others have their turn; 1 by default. */
  readonly tasksPerThread?: number;
  /** The memory of a thread's young objects, in MiB; by default Node's own. */
  readonly youngMebibytes?: number;
  /** What threads post besides answers. */
  readonly onMessage?: (message: unknown) => void;
  /** A thread died; another takes its place. */
  readonly onReplace?: () => void;
}

/**
 * Threads that run the exported functions of one module, and are replaced when they die: at work, by piscina;
 * at their start, where piscina gives up and keeps what waits for ever, by this, at the next task.
 */
export class ThreadPool {
  private pool: Piscina;
  private diedAtStart: Error | null = null;
  private closing = false;

  constructor(private readonly options: ThreadPoolOptions) {
    this.pool = this.start();
  }

  /** Runs a function of the module. Rejects with what it threw, or with what its thread died of. */
  async run<Answer>(name: string, task: unknown, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
    if (this.diedAtStart !== null) {
      this.diedAtStart = null;
      this.pool = this.start();
    }
    try {
      return await this.pool.run(task, { name, transferList: [...transfer] });
    } catch (error) {
      throw this.diedAtStart ?? error;
    }
  }

  /** Runs a function once on every thread that has nothing else to do; for pools that run nothing else. */
  runOnAll<Answer>(name: string, task: unknown): Promise<Answer[]> {
    return Promise.all(Array.from({ length: this.options.threads }, () => this.run<Answer>(name, task)));
  }

  /** Lets the tasks under way end. */
  close(): Promise<void> {
    this.closing = true;
    return this.pool.close({ force: false });
  }

  /** The threads themselves, for tests that end them. */
  get workers() {
    return this.pool.threads;
  }

  private start(): Piscina {
    const { file, threads, data, tasksPerThread, youngMebibytes, onMessage } = this.options;
    const pool = new Piscina({
      filename: fileURLToPath(file),
      minThreads: threads,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      // A thread that waits in Atomics.wait cannot be ended cleanly while it is inside native code.
      atomics: 'disabled',
      concurrentTasksPerWorker: tasksPerThread ?? 1,
      closeTimeout: CLOSE_TIMEOUT_MS,
      workerData: data,
      ...(youngMebibytes !== undefined && { resourceLimits: { maxYoungGenerationSizeMb: youngMebibytes } }),
    });
    if (onMessage !== undefined) pool.on('message', onMessage);
    let reason: Error | null = null;
    pool.on('error', (error: Error) => {
      reason = error;
    });
    pool.on('workerDestroy', () => {
      if (!this.closing) this.options.onReplace?.();
      // By then piscina has started another thread, or has given up.
      setImmediate(() => {
        if (pool !== this.pool || this.closing || pool.threads.length > 0) return;
        this.diedAtStart = reason ?? new Error('A thread ended while it started.');
        void pool.destroy();
      });
    });
    return pool;
  }
}
