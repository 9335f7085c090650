import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';

const require = createRequire(import.meta.url);

/** How long `close` waits for tasks, and then for threads to exit, in milliseconds. */
const CLOSE_TIMEOUT_MS = 10_000;
/**
 * How long threads idle before they are ended, in milliseconds. Node up to 22 aborts the process ("Assertion failed:
 * (data.first) != nullptr" in node_platform.cc) if V8 still optimizes a thread's functions in the background while the
 * thread ends: it unregisters the thread from its platform first. An idle thread soon has nothing left to optimize.
 */
const IDLE_BEFORE_END_MS = 25;

export interface ThreadPoolOptions {
  /** The compiled module that every thread runs. */
  readonly file: URL;
  readonly threads: number;
  /** Given to every thread when it starts. */
  readonly data: unknown;
  /** Concurrent tasks of a thread, for asynchronous functions; 1 by default. */
  readonly tasksPerThread?: number;
  /** Size of a thread's young generation in MiB; Node's default if absent. */
  readonly youngMebibytes?: number;
  /** Size of a thread's stack in MiB; Node's default, 4, if absent. Memory is taken only as it is used. */
  readonly stackMebibytes?: number;
  /** Receives messages of the threads other than results. */
  readonly onMessage?: (message: unknown) => void;
  /** Called when a thread has died and is replaced. */
  readonly onReplace?: () => void;
}

/** A thread exited before it could run a task; the message is its reason. */
export class ThreadStartError extends Error {}

/** A task was not begun because its threads are being ended. */
export class ThreadsEnding extends Error {
  override readonly name = 'ThreadsEnding';
}

/**
 * Threads that run the exported functions of one module. They start with the first task, and are replaced when they die.
 * Piscina replaces threads that die at work. If they die while starting, piscina gives up and its tasks would wait forever: then the next task starts
 * a new pool.
 */
export class ThreadPool {
  private pool: Piscina | null = null;
  private diedAtStart: ThreadStartError | null = null;
  private closing = false;
  private readonly running = new Set<Promise<unknown>>();

  constructor(private readonly options: ThreadPoolOptions) {}

  /**
   * Runs a function of the module. Rejects with its error, with the reason its thread died, or with ThreadStartError if
   * no thread starts.
   */
  async run<Answer>(name: string, task: unknown, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
    if (this.closing) throw new ThreadsEnding('The threads are ending.');
    if (this.diedAtStart !== null) {
      this.diedAtStart = null;
      this.pool = null;
    }
    this.pool ??= this.start();
    const running: Promise<Answer> = this.pool.run(task, { name, transferList: [...transfer] });
    this.running.add(running);
    try {
      return await running;
    } catch (error) {
      throw this.diedAtStart ?? error;
    } finally {
      this.running.delete(running);
    }
  }

  /** Runs a function once on every thread; for pools that run nothing else at that time. */
  runOnAll<Answer>(name: string, task: unknown): Promise<Answer[]> {
    return Promise.all(Array.from({ length: this.options.threads }, () => this.run<Answer>(name, task)));
  }

  /** Waits for the running tasks. Later ones reject with ThreadsEnding. */
  async close(): Promise<void> {
    this.closing = true;
    if (this.pool === null) return;
    const idle = Promise.allSettled(this.running);
    await Promise.race([idle, pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    await pause(IDLE_BEFORE_END_MS);
    await this.pool.close({ force: false });
  }

  /** The threads, for tests that terminate them. */
  get workers() {
    return this.pool?.threads ?? [];
  }

  private start(): Piscina {
    // Threads import this room too, and most start no others: the library is 15 modules.
    const { Piscina } = require('piscina') as typeof import('piscina');
    const { file, threads, data, tasksPerThread, onMessage } = this.options;
    const { youngMebibytes, stackMebibytes } = this.options;
    const pool = new Piscina({
      filename: fileURLToPath(file),
      minThreads: threads,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      // A thread in Atomics.wait cannot be terminated cleanly inside native code.
      atomics: 'disabled',
      concurrentTasksPerWorker: tasksPerThread ?? 1,
      closeTimeout: CLOSE_TIMEOUT_MS,
      workerData: data,
      resourceLimits: {
        ...(youngMebibytes !== undefined && { maxYoungGenerationSizeMb: youngMebibytes }),
        ...(stackMebibytes !== undefined && { stackSizeMb: stackMebibytes }),
      },
    });
    if (onMessage !== undefined) pool.on('message', onMessage);
    let reason: Error | null = null;
    pool.on('error', (error: Error) => {
      reason = error;
    });
    pool.on('workerDestroy', () => {
      if (!this.closing) this.options.onReplace?.();
      // By then piscina has started a replacement or has given up.
      setImmediate(() => {
        if (pool !== this.pool || this.closing || pool.threads.length > 0) return;
        this.diedAtStart = new ThreadStartError(reason?.message ?? 'A thread exited while it was starting.');
        void pool.destroy();
      });
    });
    return pool;
  }
}
