import { ApiError } from '../api/index.js';
import { ThreadPool } from '../base/index.js';
import type { PrepareResult, SentTask } from '../decide/index.js';
import type { CountMemory } from '../engine/index.js';
import type { PrepareSetup } from './prepare-messages.js';

/** Bodies that may wait for a preparing thread of one kind; http bounds their bytes. */
const QUEUE_MAX = 1_024;
/** From this size on a body is handed over instead of copied. */
const TRANSFER_BYTES_MIN = 64 * 1024;

export interface PreparePoolOptions {
  /** Of each kind. */
  readonly threads: number;
  /** Whether any model reads images. */
  readonly readsImages: boolean;
  /** A thread died; another takes its place. */
  readonly onReplace?: () => void;
  /** Told of the pixels that come from the threads. */
  readonly countMemory?: CountMemory;
}

/**
 * The preparing threads: everything between the body's bytes and the engine that takes time. What may show images has
 * threads of its own, as many, where a model reads any: the largest takes a tenth of a second, and text waits for none.
 */
export class PreparePool {
  private readonly texts: ThreadPool;
  /** The same as `texts` where no model reads images. */
  private readonly images: ThreadPool;
  private readonly countMemory: CountMemory;

  constructor(data: PrepareSetup, { threads, readsImages, onReplace, countMemory }: PreparePoolOptions) {
    const file = new URL('./prepare-thread.js', import.meta.url);
    const start = () => new ThreadPool({ file, threads, data, ...(onReplace && { onReplace }) });
    this.texts = start();
    this.images = readsImages ? start() : this.texts;
    this.countMemory = countMemory ?? (() => {});
  }

  /** Resolves when every thread has its models; rejects with the first thread's error. */
  async ready(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.runOnAll('ready', null)));
  }

  /**
   * The body must not be used afterwards; where its memory is shared, not changed until this settles. Rejects with
   * ApiError `overloaded` where the queue is full.
   */
  async prepare(task: SentTask): Promise<PrepareResult> {
    const pool = this.poolFor(task);
    if (pool.waiting >= QUEUE_MAX) {
      throw new ApiError('overloaded', 'Too many requests wait to be read.', { retryAfterSeconds: 1 });
    }
    return this.prepareOn(pool, task);
  }

  /** The same for who has few tasks at one time, and waits: they are never refused. */
  prepareFew(task: SentTask): Promise<PrepareResult> {
    return this.prepareOn(this.poolFor(task), task);
  }

  private async prepareOn(pool: ThreadPool, task: SentTask): Promise<PrepareResult> {
    const { buffer, byteLength } = task.body;
    const owned =
      buffer instanceof ArrayBuffer && byteLength >= TRANSFER_BYTES_MIN && buffer.byteLength === byteLength;
    const result = await pool.run<PrepareResult>('prepare', task, owned ? [buffer] : []);
    if (result.ok)
      for (const { rgb } of result.plan.images) this.countMemory(rgb.buffer as SharedArrayBuffer);
    return result;
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.close()));
  }

  private get pools(): ThreadPool[] {
    return [...new Set([this.texts, this.images])];
  }

  /** Looks through the body, once. */
  private poolFor(task: SentTask): ThreadPool {
    return this.images !== this.texts && mayShowImages(task) ? this.images : this.texts;
  }
}

const ASSETS = Buffer.from('"assets"');
/** As much as a model reads of a state, 20,000 characters, takes half of it in English; few images take less. */
const COMPRESSED_IMAGE_BYTES_MIN = 16 * 1024;

/**
 * A guess, right or wrong at no one's cost but time. Of a compressed body the size says most: at the head of the text
 * threads' queue, a dozen requests of four images let a text wait for 6 seconds.
 */
function mayShowImages({ body, content }: SentTask): boolean {
  if (content.encoding !== 'identity') return body.byteLength >= COMPRESSED_IMAGE_BYTES_MIN;
  if (content.media.kind === 'multipart') return true;
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(ASSETS);
}
