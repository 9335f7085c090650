import { closeSync, openSync, writeSync } from 'node:fs';
import { padding, tensorBytes, tensorSize } from '../../models/tiny/gguf.js';
import { toHalf } from '../../models/tiny/half.js';
import type { TinyModelOptions } from '../../models/tiny/index.js';
import { uniform } from '../../models/tiny/random.js';
import { spread } from '../../models/tiny/tensors.js';
import { publishedParts } from '../memory/hollow.js';

/** Types whose blocks are simple enough to be generated. */
export type LargeType = 'BF16' | 'Q8_0';

/** Blocks of a pool. Prime, so that matrices and their rows begin in different places of it. */
const POOL_BLOCKS = 250_007;
const BLOCK_WEIGHTS = 32;
/** Blocks from the start of one matrix to the start of the next. */
const STEP_BLOCKS = 77_773;

/**
 * Writes a model of these dimensions with a vocabulary of full size and random weights, as fast as the disk takes it:
 * matrices repeat a pool of 8 million numbers, because generating 12 billion takes ten minutes. Its answers mean
 * nothing; its size, arithmetic and memory traffic are those of a real file.
 */
export function writeLargeModel(path: string, options: TinyModelOptions, type: LargeType): void {
  const { header, heads, contents } = publishedParts(options, type);
  const pools = new Map<number, Buffer>();
  const file = openSync(path, 'w');
  try {
    writeWhole(file, header);
    contents.forEach((tensor, index) => {
      const { shape, type: storedAs } = heads[index] as (typeof heads)[number];
      const size = tensorSize({ shape, type: storedAs });
      if (shape.length === 1) writeWhole(file, tensorBytes(tensor));
      else writeRepeated(file, poolOf(pools, spread(shape[0] as number), type), size, index);
      writeWhole(file, padding(size));
    });
  } finally {
    closeSync(file);
  }
}

function poolOf(pools: Map<number, Buffer>, scale: number, type: LargeType): Buffer {
  const made = pools.get(scale) ?? POOLS[type](scale);
  pools.set(scale, made);
  return made;
}

/** Blocks of 32 weights, uniform in [-scale, scale). */
const POOLS: Readonly<Record<LargeType, (scale: number) => Buffer>> = {
  BF16(scale) {
    const next = uniform(1, 'bf16');
    const numbers = new Float32Array(POOL_BLOCKS * BLOCK_WEIGHTS).map(() => next() * scale);
    const bits = new Uint32Array(numbers.buffer);
    const halves = Uint16Array.from(bits, (value) => value >>> 16);
    return Buffer.from(halves.buffer);
  },
  /** A scale in half precision, and 32 signed bytes. */
  Q8_0(scale) {
    const next = uniform(1, 'q8_0');
    const size = 2 + BLOCK_WEIGHTS;
    const pool = Buffer.alloc(POOL_BLOCKS * size);
    const step = toHalf(scale / 127);
    for (let block = 0; block < POOL_BLOCKS; block++) {
      pool.writeUInt16LE(step, block * size);
      for (let at = 2; at < size; at++) pool.writeInt8(Math.round(next() * 127), block * size + at);
    }
    return pool;
  },
};

function writeRepeated(file: number, pool: Buffer, size: number, index: number): void {
  const block = pool.length / POOL_BLOCKS;
  let from = ((index * STEP_BLOCKS) % POOL_BLOCKS) * block;
  for (let left = size; left > 0; ) {
    const piece = pool.subarray(from, Math.min(pool.length, from + left));
    writeWhole(file, piece);
    left -= piece.length;
    from = 0;
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
