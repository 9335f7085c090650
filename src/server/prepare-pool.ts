import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { ApiError } from '../api/index.js';
import type { PrepareResult, PrepareTask } from '../decide/index.js';
import type { PrepareSetup } from './prepare-messages.js';

/** Bodies that may wait for a preparing thread; with 32 MiB each they bound the memory of the queue. */
const QUEUE_MAX = 256;
/** From this size on a body is handed over instead of copied. */
const TRANSFER_BYTES_MIN = 64 * 1024;

/** The preparing threads: everything between the body's bytes and the engine that takes time. */
export class PreparePool {
  private readonly pool: Piscina;

  constructor(
    setup: PrepareSetup,
    private readonly threads: number,
  ) {
    this.pool = new Piscina({
      filename: fileURLToPath(new URL('./prepare-thread.js', import.meta.url)),
      minThreads: threads,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      atomics: 'disabled',
      maxQueue: QUEUE_MAX,
      workerData: setup,
    });
    this.pool.on('error', () => {});
  }

  /** Resolves when every thread has its models; rejects with the first thread's error. */
  async ready(): Promise<void> {
    await Promise.all(Array.from({ length: this.threads }, () => this.pool.run(null, { name: 'ready' })));
  }

  /** The body must not be used afterwards. Rejects with ApiError `overloaded` where the queue is full. */
  async prepare(task: PrepareTask): Promise<PrepareResult> {
    if (this.pool.queueSize >= QUEUE_MAX) {
      throw new ApiError('overloaded', 'Too many requests wait to be read.', { retryAfterSeconds: 1 });
    }
    const { buffer, byteLength } = task.body;
    const owned = byteLength >= TRANSFER_BYTES_MIN && buffer.byteLength === byteLength;
    return this.pool.run(task, {
      name: 'prepare',
      ...(owned ? { transferList: [buffer as ArrayBuffer] } : {}),
    });
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
