import type { Owner } from '../base/index.js';
import type { PrepareResult, SentRequest } from '../decide/index.js';
import type { CountMemory } from '../engine/index.js';
import { PrepareLane } from './prepare-lane.js';
import type { PrepareSetup } from './thread-setup.js';

/**
 * The largest body of the text threads, as sent and decompressed: 20,000 characters, which a model reads of a state, take
 * at most 120 KB, each as an escape. Nothing in so many bytes takes more than 50 ms to read and check.
 */
export const TEXT_BYTES_MAX = 256 * 1024;
/** A largest body takes up to 0.3 s, so that one thread reads 100 MB in a second. */
const LARGE_THREADS = 1;
/** Lines of batches have one turn together: no more than two wait at a time, and keys take turns there already. */
const BATCHES: Owner = { workspace: '', key: '' };

export interface PreparePoolOptions {
  /** Of texts, and of images. */
  readonly threads: number;
  /** Whether any model reads images. */
  readonly readsImages: boolean;
  /** A thread died; another takes its place. */
  readonly onReplace?: () => void;
  /** Told of the pixels that come from the threads. */
  readonly countMemory?: CountMemory;
}

/**
 * The preparing threads: everything between the body's bytes and the engine that takes time. In each of three lanes keys
 * take turns, so that a request waits for at most one of every other key. Large bodies have a lane of their own, since
 * one takes as long as hundreds of usual ones; and so has, where a model reads any, what may show images, the largest of
 * which takes a tenth of a second.
 */
export class PreparePool {
  private readonly texts: PrepareLane;
  private readonly large: PrepareLane;
  /** Null where no model reads images. */
  private readonly images: PrepareLane | null;
  private readonly countMemory: CountMemory;

  constructor(data: PrepareSetup, { threads, readsImages, onReplace, countMemory }: PreparePoolOptions) {
    const file = new URL('./prepare-thread.js', import.meta.url);
    const lane = (count: number) =>
      new PrepareLane({ file, threads: count, data, ...(onReplace && { onReplace }) });
    this.texts = lane(threads);
    this.large = lane(LARGE_THREADS);
    this.images = readsImages ? lane(threads) : null;
    this.countMemory = countMemory ?? (() => {});
  }

  /** Resolves when every thread has its models; rejects with the first thread's error. */
  async ready(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.ready()));
  }

  /**
   * The body must not be used afterwards; where its memory is shared, not changed until this settles. Rejects with
   * ApiError `overloaded` where too many requests wait, and with the signal's reason where the client leaves first.
   */
  async prepare(task: SentRequest, owner: Owner, signal?: AbortSignal): Promise<PrepareResult> {
    const result = await this.inItsLane(task, owner, signal);
    if (result.ok)
      for (const { rgb } of result.plan.images) this.countMemory(rgb.buffer as SharedArrayBuffer);
    return result;
  }

  /** The same for a line of a batch, which is never refused. */
  prepareLine(task: SentRequest): Promise<PrepareResult> {
    return this.prepare(task, BATCHES);
  }

  async close(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.close()));
  }

  private get lanes(): PrepareLane[] {
    return this.images === null ? [this.texts, this.large] : [this.texts, this.large, this.images];
  }

  private async inItsLane(task: SentRequest, owner: Owner, signal?: AbortSignal): Promise<PrepareResult> {
    const { encoding } = task.content;
    if (this.images !== null && mayShowImages(task)) return this.images.run(task, owner, signal);
    if (encoding === 'identity') {
      const lane = task.body.byteLength > TEXT_BYTES_MAX ? this.large : this.texts;
      return lane.run(task, owner, signal);
    }
    if (task.body.byteLength > COMPRESSED_TEXT_BYTES_MAX) return this.large.run(task, owner, signal);
    const tried = await this.texts.run({ ...task, decompressedBytesMax: TEXT_BYTES_MAX }, owner, signal);
    if (tried.ok || tried.type !== 'body_too_large') return tried;
    return this.large.run(task, owner, signal);
  }
}

const ASSETS = Buffer.from('"assets"');
/** As much as a model reads of a state, 20,000 characters, takes half of it in English; few images take less. */
const COMPRESSED_TEXT_BYTES_MAX = 16 * 1024;

/**
 * A guess, right or wrong at no one's cost but time. Of a compressed body the size says most: at the head of the text
 * threads' queue, a dozen requests of four images let a text wait for 6 seconds. Looks through the body, once.
 */
function mayShowImages({ body, content }: SentRequest): boolean {
  if (content.encoding !== 'identity') return body.byteLength > COMPRESSED_TEXT_BYTES_MAX;
  if (content.media.kind === 'multipart') return true;
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(ASSETS);
}
