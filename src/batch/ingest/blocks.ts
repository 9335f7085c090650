import { LIMITS } from '../../api/index.js';

/** Room for the largest file, sealed, and the ids of its lines. */
const BLOCK_BYTES = LIMITS.decompressedBodyBytes + 16 * 1024 * 1024;
/** Blocks kept: more files than these on their way to the disk at one time get memory of their own. */
const BLOCKS_MAX = 2;
/** A block begins with two numbers: whether it is in use, and how many bytes behind them are taken. */
const HEAD_BYTES = 16;
const [USE, TAKEN] = [0, 1];
const FREE = 0;
const IN_USE = 1;

/** Memory that is used again: that of one file would be there until several threads have looked for garbage. */
export class Blocks {
  private readonly made: SharedArrayBuffer[] = [];

  /** Undefined where all are in use. */
  take(): SharedArrayBuffer | undefined {
    if (this.made.length < BLOCKS_MAX) this.made.push(new SharedArrayBuffer(BLOCK_BYTES));
    const taken = this.made.find(
      (block) => Atomics.compareExchange(headOf(block), USE, FREE, IN_USE) === FREE,
    );
    if (taken !== undefined) Atomics.store(headOf(taken), TAKEN, 0);
    return taken;
  }
}

/** From any thread: what is in the block is not read any more. */
export function freeBlock(block: SharedArrayBuffer | undefined): void {
  if (block !== undefined) Atomics.store(headOf(block), USE, FREE);
}

/**
 * Memory that nothing else has, from any thread: in the block, or, where there is not so much left, shared memory of
 * its own.
 */
export function roomIn(block: SharedArrayBuffer | undefined, length: number): Uint8Array {
  const start = block === undefined ? undefined : takeBytes(block, length);
  if (block === undefined || start === undefined) return new Uint8Array(new SharedArrayBuffer(length));
  return new Uint8Array(block, start, length);
}

/** Where the bytes taken begin; undefined where the block has not so many left. */
function takeBytes(block: SharedArrayBuffer, length: number): number | undefined {
  const head = headOf(block);
  for (;;) {
    const taken = Atomics.load(head, TAKEN);
    if (HEAD_BYTES + taken + length > block.byteLength) return undefined;
    if (Atomics.compareExchange(head, TAKEN, taken, taken + length) === taken) return HEAD_BYTES + taken;
  }
}

const headOf = (block: SharedArrayBuffer) => new Int32Array(block, 0, 2);
