import { LIMITS } from '../api/index.js';
import { entryFile, type Owner, SHARED_TURN_BYTES, SharedTurn } from '../base/index.js';
import type { PrepareResult, SentRequest } from '../decide/index.js';
import { type CountMemory, TOKENIZING_STACK_MEBIBYTES } from '../engine/index.js';
import type {
  ReadLabels,
  ReadPromotion,
  ReadTask,
  SentLabels,
  SentPromotion,
  SentTask,
} from '../tasks/index.js';
import { PrepareQueue } from './prepare-queue.js';
import type { PrepareSetup } from './prepare-thread.js';

/**
 * The largest body for the text threads, as sent and decompressed. The 20,000 characters that a model reads of a state
 * take at most 120 KB, each as an escape. Reading and checking this many bytes never takes more than 50 ms.
 */
const TEXT_BYTES_MAX = 256 * 1024;
/**
 * The most costly body, 32 MiB of JSON with as many keys and values as `LIMITS` allows, takes 0.8 s of processor time: its
 * values 0.4 s, decompressing or scanning the rest as much. Text alone takes milliseconds.
 */
const LARGE_THREADS = 1;
/** Batch lines and requests of shadow builds share one turn: few of them wait at a time, and their keys already take turns. */
const BATCHES: Owner = { workspace: '', key: '' };

interface PreparePoolOptions {
  /** For text, and again for images. */
  readonly threads: number;
  /** Whether any model reads images. */
  readonly readsImages: boolean;
  /** Called when a thread has died and is replaced. */
  readonly onReplace?: () => void;
  /** Counts the memory of pixels received from the threads. */
  readonly countMemory?: CountMemory;
  /** Called for each request with the texts whose tokens were in the cache, and those that were tokenized. */
  readonly onTexts?: (texts: { readonly hits: number; readonly misses: number }) => void;
}

/**
 * The preparing threads: everything between the bytes of a body and the engine that takes time. Keys take turns in each
 * of three queues, so that a request waits for at most one request of every other key. Large bodies have a queue of
 * their own, since one takes as long as hundreds of usual ones; so do requests that may carry images, if a model reads
 * images: the largest image of `/v1/decide` takes a tenth of a second, and one that is scaled a second or more. Of those
 * that a decoder holds whole, the threads decode one at a time.
 */
export class PreparePool {
  private readonly texts: PrepareQueue;
  private readonly large: PrepareQueue;
  /** Null where no model reads images. */
  private readonly images: PrepareQueue | null;
  private readonly countMemory: CountMemory;
  private readonly onTexts: NonNullable<PreparePoolOptions['onTexts']>;

  constructor(
    data: Omit<PrepareSetup, 'decoding'>,
    { threads, readsImages, onReplace, countMemory, onTexts }: PreparePoolOptions,
  ) {
    const file = entryFile('server/prepare-thread');
    const decoding = new SharedArrayBuffer(SHARED_TURN_BYTES);
    const queue = (count: number) =>
      new PrepareQueue({
        file,
        threads: count,
        data: { ...data, decoding },
        stackMebibytes: TOKENIZING_STACK_MEBIBYTES,
        onReplace: () => {
          // The thread may have died in its turn.
          new SharedTurn(decoding).reset();
          onReplace?.();
        },
      });
    this.texts = queue(threads);
    this.large = queue(LARGE_THREADS);
    this.images = readsImages ? queue(threads) : null;
    this.countMemory = countMemory ?? (() => {});
    this.onTexts = onTexts ?? (() => {});
  }

  /** Resolves when the text threads have opened the models; rejects with the first thread's error. The others start with
   * their first request. */
  ready(): Promise<void> {
    return this.texts.ready();
  }

  /**
   * The body must not be used afterwards; if its memory is shared, it must not change until this settles. Rejects with
   * ApiError `overloaded` if too many requests wait, and with the signal's reason if it aborts first.
   */
  async prepare(task: SentRequest, owner: Owner, signal?: AbortSignal): Promise<PrepareResult> {
    const result = await this.runInQueue(task, owner, signal);
    if (!result.ok) return result;
    for (const { rgb } of result.plan.images) this.countMemory(rgb.buffer as SharedArrayBuffer);
    this.onTexts(result.texts);
    return result;
  }

  /** Like `prepare`, for batch lines and shadow builds; their callers bound their number, so they are never refused. */
  prepareLine(task: SentRequest): Promise<PrepareResult> {
    return this.prepare(task, BATCHES);
  }

  /** Reads the body of a task, which is as small as that of a text request. Rejects as `prepare` does. */
  readTask(task: SentTask, owner: Owner, signal: AbortSignal): Promise<ReadTask> {
    return this.texts.call('task', task, owner, signal);
  }

  /** Reads what a caller expects of a shadow that is promoted. Rejects as `prepare` does. */
  readPromotion(task: SentPromotion, owner: Owner, signal: AbortSignal): Promise<ReadPromotion> {
    return this.texts.call('promotion', task, owner, signal);
  }

  /** Reads labels. Rejects as `prepare` does. */
  readLabels(task: SentLabels, owner: Owner, signal: AbortSignal): Promise<ReadLabels> {
    const queue =
      task.body.byteLength > TEXT_BYTES_MAX || task.encoding !== 'identity' ? this.large : this.texts;
    return queue.call('labels', task, owner, signal);
  }

  async close(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.close()));
  }

  private get queues(): PrepareQueue[] {
    return this.images === null ? [this.texts, this.large] : [this.texts, this.large, this.images];
  }

  private async runInQueue(task: SentRequest, owner: Owner, signal?: AbortSignal): Promise<PrepareResult> {
    const { encoding } = task.content;
    if (this.images !== null && mayShowImages(task)) return this.images.run(task, owner, signal);
    // The questions of a task are not in the body.
    const outside = task.task?.questions.length ?? 0;
    const bytesMax = Math.max(0, Math.floor(TEXT_BYTES_MAX / timesTokenized(task)) - outside);
    if (encoding === 'identity') {
      const queue = task.body.byteLength > bytesMax ? this.large : this.texts;
      return queue.run(task, owner, signal);
    }
    const compressedMax = Math.min(COMPRESSED_TEXT_BYTES_MAX, bytesMax);
    if (task.body.byteLength > compressedMax) return this.large.run(task, owner, signal);
    const tried = await this.texts.run({ ...task, decompressedBytesMax: bytesMax }, owner, signal);
    if (tried.ok || tried.type !== 'body_too_large') return tried;
    return this.large.run(task, owner, signal);
  }
}

const ROTATIONS = Buffer.from('"option_rotations"');

/**
 * How often the texts of a request are tokenized at most: once for each order of the options. For a batch line it is a
 * guess; a wrong one only costs time.
 */
function timesTokenized({ body, diagnostics }: SentRequest): number {
  if (diagnostics !== 'line') return diagnostics?.optionRotations ?? 1;
  return bytesOf(body).includes(ROTATIONS) ? LIMITS.optionRotations : 1;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Strings without which a body shows no image: a field of `/v1/decide`, and the type of a part of `/v1/decisions`. */
const IMAGE_STRINGS = ['"assets"', '"input_image"'].map((string) => Buffer.from(string));
/** The 20,000 characters that a model reads of a state take half of it in English; few images take less. */
const COMPRESSED_TEXT_BYTES_MAX = 16 * 1024;

/**
 * A guess; a wrong one only costs time. For a compressed body the size is the best hint: a dozen requests of four images
 * in the queue of the text threads delayed a text request by 6 seconds. Scans the body twice.
 */
function mayShowImages({ body, content }: SentRequest): boolean {
  if (content.encoding !== 'identity') return body.byteLength > COMPRESSED_TEXT_BYTES_MAX;
  if (content.media.kind === 'multipart') return true;
  const bytes = bytesOf(body);
  return IMAGE_STRINGS.some((string) => bytes.includes(string));
}
