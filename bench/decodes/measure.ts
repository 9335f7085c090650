import type { NativeContext } from '../../src/engine/index.js';
import { type DecodeCase, decodeBatch } from '../../src/tuning/index.js';
import { type Times, timesOf } from '../report.js';

/** Maximum number of tokens of a decode, here and in a wave on a GPU. */
export const PREFIX_STEP = 2_048;

const TOKENS = [1, 8, 32, 64, 128, 256, 512, 1_024, PREFIX_STEP];
const CELLS = [2_048, 4_096, 8_192, 16_384];
const ROWS = [16, 64];

export const CASES: readonly DecodeCase[] = [
  ...TOKENS.map((tokens) => ({ tokens, cells: 0, rows: 1 })),
  ...CELLS.map((cells) => ({ tokens: 256, cells, rows: 1 })),
  ...ROWS.map((rows) => ({ tokens: 256, cells: 0, rows })),
];

const REPEATS_MIN = 3;
const REPEATS_MAX = 30;
/** After so long, no further repeat begins. */
const MEASURE_MS = 1_500;

/** Decodes repeatedly after one that is not timed: the first one of a size allocates buffers and may compile kernels. */
export function measureDecode(context: NativeContext, one: DecodeCase): Times {
  const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  context.clear();
  for (let from = 0; from < one.cells; from += PREFIX_STEP) {
    const tokens = Math.min(PREFIX_STEP, one.cells - from);
    context.decode(decodeBatch({ tokens, cells: from, rows: 1 }), cancel);
  }
  // A copy of the sequence keeps its cells when the measured tokens are removed with the original.
  context.copySequence(0, 1);
  const repeat = () => {
    const measured = decodeBatch(one);
    const start = performance.now();
    context.decode(measured, cancel);
    const ms = performance.now() - start;
    context.removeSequence(0);
    context.copySequence(1, 0);
    return ms;
  };
  repeat();
  const times: number[] = [];
  const end = performance.now() + MEASURE_MS;
  while (times.length < REPEATS_MIN || (times.length < REPEATS_MAX && performance.now() < end)) {
    times.push(repeat());
  }
  return timesOf(times);
}
