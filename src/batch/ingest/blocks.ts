import { LIMITS } from '../../api/index.js';

/** Room for the largest file, encrypted, with the ids of its lines. */
const BLOCK_BYTES = LIMITS.decompressedBodyBytes + 16 * 1024 * 1024;
/** Blocks that are reused. If more files than this are being written, the others get memory of their own. */
const BLOCKS_MAX = 2;
/** A block begins with two numbers: whether it is in use, and how many of the bytes after the head are taken. */
const HEAD_BYTES = 16;
const [USE, TAKEN] = [0, 1];
const FREE = 0;
const IN_USE = 1;

/** A pool of shared memory. Without it, the memory of a file stays until every thread that saw it runs a GC. */
export class Blocks {
  private readonly made: SharedArrayBuffer[] = [];

  /** Undefined if all blocks are in use. */
  take(): SharedArrayBuffer | undefined {
    if (this.made.length < BLOCKS_MAX) this.made.push(new SharedArrayBuffer(BLOCK_BYTES));
    const taken = this.made.find(
      (block) => Atomics.compareExchange(headOf(block), USE, FREE, IN_USE) === FREE,
    );
    if (taken !== undefined) Atomics.store(headOf(taken), TAKEN, 0);
    return taken;
  }
}

/** Returns a block to the pool, from any thread, when its contents are no longer read. */
export function freeBlock(block: SharedArrayBuffer | undefined): void {
  if (block !== undefined) Atomics.store(headOf(block), USE, FREE);
}

/** Allocates shared memory from any thread: in the block, or separately if the block has too little left. */
export function roomIn(block: SharedArrayBuffer | undefined, length: number): Uint8Array {
  const start = block === undefined ? undefined : takeBytes(block, length);
  if (block === undefined || start === undefined) return new Uint8Array(new SharedArrayBuffer(length));
  return new Uint8Array(block, start, length);
}

/** The offset of the bytes taken; undefined if the block has too few left. */
function takeBytes(block: SharedArrayBuffer, length: number): number | undefined {
  const head = headOf(block);
  for (;;) {
    const taken = Atomics.load(head, TAKEN);
    if (HEAD_BYTES + taken + length > block.byteLength) return undefined;
    if (Atomics.compareExchange(head, TAKEN, taken, taken + length) === taken) return HEAD_BYTES + taken;
  }
}

const headOf = (block: SharedArrayBuffer) => new Int32Array(block, 0, 2);
