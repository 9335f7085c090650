import { LIMITS } from '../api/index.js';
import { type Owner, ShareCounts, type Shares } from '../base/index.js';

/** Blocks kept, and those that one key or workspace may have: a body that finds none gets memory of its own. */
export const BLOCKS_MAX: Shares = { key: 2, workspace: 3, all: 4 };
/** New memory that is touched in one turn of the event loop: half a millisecond of it. */
const TOUCHED_BYTES = 1024 * 1024;

/** A block that one body has. */
export interface BodyBlock {
  /** Shared memory of `LIMITS.bodyBytes`, with anything in it. */
  readonly memory: SharedArrayBuffer;
  /** Gives it back. Call it once. */
  release(): void;
}

/**
 * Blocks for large bodies, which are kept: to touch 32 MiB of new memory takes 20 ms, which no other request would be
 * answered in; to write into memory that was touched before takes 5. So the next block is touched bit by bit while the
 * one before it is in use; only the first large body of a process pays for its own. The blocks are shared, so that
 * another thread reads them where they are. A block takes no more memory than the largest body so far.
 */
export class BodyBlocks {
  private made = 0;
  private readonly free: SharedArrayBuffer[] = [];
  private readonly taken = new ShareCounts(BLOCKS_MAX);

  /** Undefined where none is free for its owner. `bytes`: how much of it will be used. */
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

/** Writes into the bytes from `at` to `end`, a bit in a turn, for as long as nobody else does. */
function touch(block: SharedArrayBuffer, at: number, end: number, isFree: () => boolean): void {
  setImmediate(() => {
    if (!isFree()) return;
    const next = Math.min(end, at + TOUCHED_BYTES);
    new Uint8Array(block, at, next - at).fill(0);
    if (next < end) touch(block, next, end, isFree);
  });
}
