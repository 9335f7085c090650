import { ThreadPool } from '../../base/index.js';
import type { WaveResult, WaveTask } from '../wave/index.js';
import { type Introduction, type LoadProgress, WORKER_FILE, type WorkerSetup } from '../worker/index.js';

/**
 * One engine thread and the context it owns: hands it one wave at a time, and another thread takes its place
 * where it dies. What a wave means is none of its business.
 *
 * A pool of one thread each, and not one pool of several: what a context holds between waves is known by
 * which thread it is on.
 */
export class EngineThread {
  private readonly cancelWord = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly pool: ThreadPool;

  constructor(
    setup: Omit<WorkerSetup, 'cancel'>,
    onLoadProgress: (fraction: number) => void = () => {},
    onReplace: () => void = () => {},
  ) {
    this.pool = new ThreadPool({
      file: WORKER_FILE,
      threads: 1,
      data: { ...setup, cancel: this.cancelWord } satisfies WorkerSetup,
      onMessage: (message) => onLoadProgress((message as LoadProgress).loaded),
      onReplace,
    });
  }

  /** Resolves when the thread has its context; rejects with what it died of. */
  introduce(): Promise<Introduction> {
    return this.pool.run('introduce', null);
  }

  /** Runs a wave. Rejects with the addon's error, or where the thread dies; the context is empty then. */
  run(task: WaveTask): Promise<WaveResult> {
    return this.pool.run('wave', task);
  }

  /** Ends the loading, or the wave under way: it rejects with `cancelled`. For the end of the process. */
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
