import { ApiError, LIMITS } from '../api/index.js';

/** From this size on a body goes into a block that is used again. */
const BLOCK_BODY_BYTES_MIN = 1024 * 1024;
/** Blocks kept: more large bodies at one time than these get memory of their own. */
const BLOCKS_MAX = 4;
/** New memory that is touched in one turn of the event loop: half a millisecond of it. */
const TOUCHED_BYTES = 1024 * 1024;

/** The memory of one body. */
export interface BodyPlace {
  /** A buffer of the length taken, with anything in it. Call it once. */
  allocate(): Buffer;
  /** Gives the memory back: the buffer may be another body's from then on. Call it once. */
  release(): void;
}

/**
 * Bounds the bytes of all bodies held at one time. A body counts with its announced length from before it is read
 * until its request is answered.
 *
 * Large bodies are written into blocks that are kept: to touch 32 MiB of new memory takes 20 ms, which no other
 * request would be answered in; to write into memory that was touched before takes 5. So the next block is touched bit
 * by bit while the one before it is in use; only the first large body of a process pays for its own. The blocks are
 * shared, so that another thread reads them where they are. A block takes no more memory than the largest body so far.
 */
export class BodyMemory {
  #held = 0;
  #blocks = 0;
  readonly #free: SharedArrayBuffer[] = [];

  constructor(readonly limitBytes: number) {}

  /** Takes `bytes`, or throws `overloaded`. */
  take(bytes: number): BodyPlace {
    if (this.#held + bytes > this.limitBytes) {
      throw new ApiError('overloaded', 'The server holds as many request bodies as it can.');
    }
    this.#held += bytes;
    let block: SharedArrayBuffer | undefined;
    return {
      allocate: () => {
        if (bytes >= BLOCK_BODY_BYTES_MIN) block = this.#takeBlock(bytes);
        return block === undefined ? Buffer.allocUnsafeSlow(bytes) : Buffer.from(block, 0, bytes);
      },
      release: () => {
        this.#held -= bytes;
        if (block !== undefined) this.#free.push(block);
      },
    };
  }

  #takeBlock(bytes: number): SharedArrayBuffer | undefined {
    const taken = this.#free.pop() ?? this.#newBlock();
    const next = this.#free.length === 0 ? this.#newBlock() : undefined;
    if (next !== undefined) {
      this.#free.push(next);
      touch(next, 0, bytes, () => this.#free.includes(next));
    }
    return taken;
  }

  #newBlock(): SharedArrayBuffer | undefined {
    if (this.#blocks === BLOCKS_MAX) return undefined;
    this.#blocks += 1;
    return new SharedArrayBuffer(LIMITS.bodyBytes);
  }
}

/** Writes into the bytes from `at` to `end`, a bit in a turn, for as long as nobody else does. */
function touch(block: SharedArrayBuffer, at: number, end: number, isFree: () => boolean): void {
  setImmediate(() => {
    if (!isFree()) return;
    const next = Math.min(end, at + TOUCHED_BYTES);
    new Uint8Array(block, at, next - at).fill(0);
    if (next < end) touch(block, next, end, isFree);
  });
}
