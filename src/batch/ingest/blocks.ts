import { LIMITS } from '../../api/index.js';

/** Room for the largest file, sealed, and the ids of its lines. */
const BLOCK_BYTES = LIMITS.decompressedBodyBytes + 16 * 1024 * 1024;
/** Blocks kept: more files than these on their way to the disk at one time get memory of their own. */
const BLOCKS_MAX = 2;
/** The first bytes of a block say whether it is in use. */
const HEAD_BYTES = 16;
const FREE = 0;
const IN_USE = 1;

/** Memory that is used again: that of one file would be there until several threads have looked for garbage. */
export class Blocks {
  private readonly made: SharedArrayBuffer[] = [];

  /** Undefined where all are in use. */
  take(): SharedArrayBuffer | undefined {
    if (this.made.length < BLOCKS_MAX) this.made.push(new SharedArrayBuffer(BLOCK_BYTES));
    return this.made.find((block) => Atomics.compareExchange(headOf(block), 0, FREE, IN_USE) === FREE);
  }
}

/** From any thread: what is in the block is not read any more. */
export function freeBlock(block: SharedArrayBuffer | undefined): void {
  if (block !== undefined) Atomics.store(headOf(block), 0, FREE);
}

/** Copies bytes into a block, behind each other; what has no room in it gets shared memory of its own. */
export function copierInto(block: SharedArrayBuffer | undefined): (bytes: Uint8Array) => Uint8Array {
  let end = HEAD_BYTES;
  return (bytes) => {
    const { length } = bytes;
    const fits = block !== undefined && end + length <= block.byteLength;
    const copy = fits ? new Uint8Array(block, end, length) : new Uint8Array(new SharedArrayBuffer(length));
    if (fits) end += length;
    copy.set(bytes);
    return copy;
  };
}

const headOf = (block: SharedArrayBuffer) => new Int32Array(block, 0, 1);
