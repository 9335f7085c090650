import { ApiError } from '../api/index.js';
import { ThreadPool } from '../base/index.js';
import type { PrepareResult, SentTask } from '../decide/index.js';
import type { PrepareSetup } from './prepare-messages.js';

/** Bodies that may wait for a preparing thread; http bounds their bytes. */
const QUEUE_MAX = 1_024;
/** From this size on a body is handed over instead of copied. */
const TRANSFER_BYTES_MIN = 64 * 1024;

/** The preparing threads: everything between the body's bytes and the engine that takes time. */
export class PreparePool {
  private readonly pool: ThreadPool;

  constructor(setup: PrepareSetup, threads: number, onReplace: () => void = () => {}) {
    const file = new URL('./prepare-thread.js', import.meta.url);
    this.pool = new ThreadPool({ file, threads, data: setup, onReplace });
  }

  /** Resolves when every thread has its models; rejects with the first thread's error. */
  async ready(): Promise<void> {
    await this.pool.runOnAll('ready');
  }

  /**
   * The body must not be used afterwards; where its memory is shared, not changed until this settles. Rejects with
   * ApiError `overloaded` where the queue is full.
   */
  async prepare(task: SentTask): Promise<PrepareResult> {
    if (this.pool.waiting >= QUEUE_MAX) {
      throw new ApiError('overloaded', 'Too many requests wait to be read.', { retryAfterSeconds: 1 });
    }
    return this.prepareFew(task);
  }

  /** The same for who has few tasks at one time, and waits: they are never refused. */
  async prepareFew(task: SentTask): Promise<PrepareResult> {
    const { buffer, byteLength } = task.body;
    const owned =
      buffer instanceof ArrayBuffer && byteLength >= TRANSFER_BYTES_MIN && buffer.byteLength === byteLength;
    return this.pool.run('prepare', task, owned ? [buffer] : []);
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
