import { ApiError } from '../api/index.js';
import { ThreadPool } from '../base/index.js';
import type { PrepareResult, SentTask } from '../decide/index.js';
import type { CountMemory } from '../engine/index.js';
import type { PrepareSetup } from './prepare-messages.js';

/** Bodies that may wait for a preparing thread of one kind; http bounds their bytes. */
const QUEUE_MAX = 1_024;
/** From this size on a body is handed over instead of copied. */
const TRANSFER_BYTES_MIN = 64 * 1024;

/**
 * The preparing threads: everything between the body's bytes and the engine that takes time. What may show images has
 * threads of its own, as many: the largest image takes a tenth of a second, and text waits for none.
 */
export class PreparePool {
  private readonly texts: ThreadPool;
  private readonly images: ThreadPool;

  /** `threads`: of each kind. */
  constructor(
    setup: PrepareSetup,
    threads: number,
    onReplace: () => void = () => {},
    private readonly countMemory: CountMemory = () => {},
  ) {
    const file = new URL('./prepare-thread.js', import.meta.url);
    this.texts = new ThreadPool({ file, threads, data: setup, onReplace });
    this.images = new ThreadPool({ file, threads, data: setup, onReplace });
  }

  /** Resolves when every thread has its models; rejects with the first thread's error. */
  async ready(): Promise<void> {
    await Promise.all([this.texts.runOnAll('ready', null), this.images.runOnAll('ready', null)]);
  }

  /**
   * The body must not be used afterwards; where its memory is shared, not changed until this settles. Rejects with
   * ApiError `overloaded` where the queue is full.
   */
  async prepare(task: SentTask): Promise<PrepareResult> {
    if (this.poolFor(task).waiting >= QUEUE_MAX) {
      throw new ApiError('overloaded', 'Too many requests wait to be read.', { retryAfterSeconds: 1 });
    }
    return this.prepareFew(task);
  }

  /** The same for who has few tasks at one time, and waits: they are never refused. */
  async prepareFew(task: SentTask): Promise<PrepareResult> {
    const { buffer, byteLength } = task.body;
    const owned =
      buffer instanceof ArrayBuffer && byteLength >= TRANSFER_BYTES_MIN && buffer.byteLength === byteLength;
    const result = await this.poolFor(task).run<PrepareResult>('prepare', task, owned ? [buffer] : []);
    if (result.ok)
      for (const { rgb } of result.plan.images) this.countMemory(rgb.buffer as SharedArrayBuffer);
    return result;
  }

  async close(): Promise<void> {
    await Promise.all([this.texts.close(), this.images.close()]);
  }

  private poolFor(task: SentTask): ThreadPool {
    return mayShowImages(task) ? this.images : this.texts;
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
