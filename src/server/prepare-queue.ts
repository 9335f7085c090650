import { FairQueue, type Owner, type Shares, ThreadPool, type ThreadPoolOptions } from '../base/index.js';
import type { PrepareResult, SentRequest } from '../decide/index.js';
import { inTurn } from './queue-full.js';

/** Requests that may wait in one queue. Their bytes are bounded in http/. */
export const WAITING_MAX: Shares = { key: 1_024, workspace: 2_048, all: 4_096 };
/** Bodies of this size or more are transferred to the thread instead of copied. */
const TRANSFER_BYTES_MIN = 64 * 1024;

/** A queue of requests of one kind and the threads that prepare them. Keys take turns. */
export class PrepareQueue {
  private readonly pool: ThreadPool;
  private readonly queue: FairQueue;

  constructor(options: ThreadPoolOptions) {
    const { threads } = options;
    this.pool = new ThreadPool(options);
    this.queue = new FairQueue({ key: threads, workspace: threads, all: threads }, WAITING_MAX);
  }

  /** Resolves when every thread has opened the models; rejects with the first thread's error. */
  async ready(): Promise<void> {
    await this.pool.runOnAll('ready', null);
  }

  /**
   * Prepares a request in its owner's turn. Rejects with ApiError `overloaded` if too many requests wait, and with the
   * signal's reason if it aborts before the turn.
   */
  run(task: SentRequest, owner: Owner, signal?: AbortSignal): Promise<PrepareResult> {
    return inTurn(this.queue, owner, 'requests', () => this.prepare(task), signal);
  }

  /** Runs another task of the threads, in its owner's turn. Rejects as `run` does. */
  call<Result>(name: string, task: unknown, owner: Owner, signal: AbortSignal): Promise<Result> {
    return inTurn(this.queue, owner, 'requests', () => this.pool.run<Result>(name, task), signal);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private prepare(task: SentRequest): Promise<PrepareResult> {
    const { buffer, byteLength } = task.body;
    const owned =
      buffer instanceof ArrayBuffer && byteLength >= TRANSFER_BYTES_MIN && buffer.byteLength === byteLength;
    return this.pool.run('prepare', task, owned ? [buffer] : []);
  }
}
