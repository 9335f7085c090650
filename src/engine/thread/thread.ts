import { Piscina } from 'piscina';
import type { WaveResult, WaveTask } from '../wave/index.js';
import { type Introduction, type LoadProgress, WORKER_FILE, type WorkerSetup } from '../worker/index.js';

/** How long the thread may take to end after its wave, in milliseconds. */
const CLOSE_TIMEOUT_MS = 10_000;

/**
 * One engine thread and the context it owns. It starts the thread, hands it one wave at a time, starts
 * another where it dies, and ends it. What a wave means is none of its business.
 *
 * A piscina of one thread each, and not one pool of several: what a context holds between waves is known by
 * which thread it is on.
 */
export class EngineThread {
  private readonly cancelWord = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private pool: Piscina;
  /** What the last thread died of before it could do anything; the next task starts another. */
  private diedAtStart: Error | null = null;

  constructor(
    private readonly setup: Omit<WorkerSetup, 'cancel'>,
    private readonly onLoadProgress: (fraction: number) => void = () => {},
  ) {
    this.pool = this.start();
  }

  /** Resolves when the thread has its context; rejects with what it died of. */
  introduce(): Promise<Introduction> {
    return this.ask('introduce', null);
  }

  /** Runs a wave. Rejects with the addon's error, or where the thread dies; the context is empty then. */
  run(task: WaveTask): Promise<WaveResult> {
    return this.ask('wave', task);
  }

  /** Ends the wave under way: it rejects with `cancelled`. For the end of the process. */
  cancel(): void {
    Atomics.store(this.cancelWord, 0, 1);
  }

  close(): Promise<void> {
    return this.pool.close({ force: false });
  }

  /** The thread itself, for tests that end it. */
  get worker() {
    return this.pool.threads[0];
  }

  private async ask<Answer>(name: 'introduce' | 'wave', task: WaveTask | null): Promise<Answer> {
    if (this.diedAtStart !== null) {
      this.diedAtStart = null;
      this.pool = this.start();
    }
    try {
      return await this.pool.run(task, { name });
    } catch (error) {
      throw this.diedAtStart ?? error;
    }
  }

  private start(): Piscina {
    const pool = new Piscina({
      filename: WORKER_FILE,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      // A thread that waits in Atomics.wait cannot be ended cleanly while it is inside llama.cpp.
      atomics: 'disabled',
      maxQueue: 1,
      closeTimeout: CLOSE_TIMEOUT_MS,
      workerData: { ...this.setup, cancel: this.cancelWord } satisfies WorkerSetup,
    });
    pool.on('message', ({ loaded }: LoadProgress) => this.onLoadProgress(loaded));
    // piscina starts another thread where one dies at work. It gives up where one dies at its start, and
    // would keep what waits for ever.
    pool.on('error', (error: Error) => {
      if (pool.threads.length > 0) return;
      this.diedAtStart = error;
      void pool.destroy();
    });
    return pool;
  }
}
