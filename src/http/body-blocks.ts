import { LIMITS } from '../api/index.js';
import { type Owner, ShareCounts, type Shares } from '../base/index.js';

/** Blocks kept, and those that one key or workspace may have: a body that finds none gets memory of its own. */
export const BLOCKS_MAX: Shares = { key: 2, workspace: 3, all: 4 };
/** New memory touched per turn of the event loop; takes half a millisecond. */
const TOUCHED_BYTES = 1024 * 1024;

/** A block in use by one body. */
export interface BodyBlock {
  /** Shared memory of `LIMITS.bodyBytes`; its content is undefined. */
  readonly memory: SharedArrayBuffer;
  /** Returns the block. Call it once. */
  release(): void;
}

/**
 * Reusable blocks for large bodies. Faulting in 32 MiB blocks the event loop for 20 ms; writing to memory that was
 * touched before takes 5 ms. So the next block is touched bit by bit while the previous one is in use; only the first
 * large body of a process pays. The blocks are shared memory, so that another thread reads them in place. A block takes
 * no more memory than the largest body so far.
 */
export class BodyBlocks {
  private made = 0;
  private readonly free: SharedArrayBuffer[] = [];
  private readonly taken = new ShareCounts(BLOCKS_MAX);

  /** Undefined if none is free for the owner. `bytes`: how many will be used. */
  take(owner: Owner, bytes: number): BodyBlock | undefined {
    if (this.taken.exceededBy(owner, 1) !== null) return undefined;
    const memory = this.free.pop() ?? this.newBlock();
    if (memory === undefined) return undefined;
    this.taken.add(owner, 1);
    this.prepareNext(bytes);
    const release = () => {
      this.taken.add(owner, -1);
      this.free.push(memory);
    };
    return { memory, release };
  }

  private prepareNext(bytes: number): void {
    if (this.free.length > 0) return;
    const next = this.newBlock();
    if (next === undefined) return;
    this.free.push(next);
    touch(next, 0, bytes, () => this.free.includes(next));
  }

  private newBlock(): SharedArrayBuffer | undefined {
    if (this.made === BLOCKS_MAX.all) return undefined;
    this.made += 1;
    return new SharedArrayBuffer(LIMITS.bodyBytes);
  }
}

/** Touches the bytes from `at` to `end`, a part per turn, until the block is taken. */
function touch(block: SharedArrayBuffer, at: number, end: number, isFree: () => boolean): void {
  setImmediate(() => {
    if (!isFree()) return;
    const next = Math.min(end, at + TOUCHED_BYTES);
    new Uint8Array(block, at, next - at).fill(0);
    if (next < end) touch(block, next, end, isFree);
  });
}
