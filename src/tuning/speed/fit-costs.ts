import { quantile } from '../../base/index.js';
import { type Costs, countedCells, decodeTime, tokensIn } from '../simulation/cost-model.js';
import { nonNegativeLeastSquares } from './least-squares.js';
import type { TimedDecode } from './time-decodes.js';
import type { TimedWaves } from './time-waves.js';

/** llama.cpp computes attention over the cells in use, rounded up to so many (`llama_kv_cache::get_n_kv`). */
const CELL_STEP = 256;
/**
 * llama.cpp writes cells behind the last ones, and begins at the first again when it has passed those in use and twice the
 * tokens of a decode (`llama_kv_cache::find_slot`). Until then attention also scans cells that are free.
 */
const FREE_CELLS_PER_TOKEN = 2;
/** Where the time per token of a decode may change: the ends of the ranges of `Costs`. */
const RANGE_ENDS = [32, 128, 256, 512];

/** The constants of a device, and how well they describe it. */
export interface Fit {
  readonly costs: Costs;
  readonly spread: Spread;
  /** Differences between the decodes and the fitted times, as parts of the decodes. */
  readonly error: { readonly median: number; readonly largest: number };
}

/** How many times as long as its fastest run the same decode took. */
export interface Spread {
  /** Three quarters of the runs of a decode took at most this; the median over all decodes. */
  readonly usual: number;
  /** Of the slowest run of any decode. */
  readonly largest: number;
}

/**
 * Fits the constants of the cost model to decodes and waves that were timed.
 *
 *   ms = decodeMs + Σ ranges tokens in the range · tokenMs + tokens · cells · tokenCellMs + visible · visibleMs
 *        + rows · rowMs
 *   host ms = decodes · hostDecodeMs + tokens · hostTokenMs
 *
 * Least squares of the relative errors, without negative constants. Of each decode the fastest run counts: other work on
 * the machine can only add to it.
 */
export function fitCosts(decodes: readonly TimedDecode[], waves: readonly TimedWaves[]): Fit {
  const most = Math.max(...decodes.map(({ tokens }) => tokens));
  const least = Math.min(...decodes.map(({ tokens }) => tokens));
  const ends = [...RANGE_ENDS.filter((end) => end > least && end < most), Number.POSITIVE_INFINITY];
  const ranges = ends.map((upTo) => ({ upTo }));
  const times = decodes.map(({ ms }) => Math.min(...ms));
  const constants = relativeLeastSquares(
    decodes.map(({ tokens, cells, visible, rows }) => [
      1,
      tokens * countedCells(cells, CELL_STEP),
      visible,
      rows,
      ...tokensIn(ranges, tokens),
    ]),
    times,
  );
  const [decodeMs = 0, tokenCellMs = 0, visibleMs = 0, rowMs = 0, ...perToken] = constants;
  const [hostDecodeMs = 0, hostTokenMs = 0] = relativeLeastSquares(
    waves.map(({ decodes: count, tokens }) => [count, tokens]),
    waves.map(({ hostMs }) => Math.min(...hostMs)),
  );
  const costs: Costs = {
    decodeMs,
    ranges: ends.map((upTo, index) => ({ upTo, tokenMs: perToken[index] ?? 0 })),
    tokenCellMs,
    cellStep: CELL_STEP,
    freeCellsPerToken: FREE_CELLS_PER_TOKEN,
    visibleMs,
    rowMs,
    hostDecodeMs,
    hostTokenMs,
  };
  const errors = decodes.map((decode, index) =>
    Math.abs(decodeTime(costs, decode) / (times[index] as number) - 1),
  );
  return {
    costs,
    spread: spreadOf(decodes.map(({ ms }) => ms)),
    error: { median: quantile(errors, 0.5), largest: Math.max(...errors) },
  };
}

function relativeLeastSquares(rows: readonly (readonly number[])[], times: readonly number[]): number[] {
  const known = rows.filter((_, index) => (times[index] as number) > 0);
  const positive = times.filter((time) => time > 0);
  return nonNegativeLeastSquares(
    known.map((row, index) => row.map((value) => value / (positive[index] as number))),
    positive.map(() => 1),
  );
}

/** Of measurements that were each repeated. */
export function spreadOf(repeated: readonly (readonly number[])[]): Spread {
  return {
    usual: quantile(
      repeated.map((ms) => quantile(ms, 0.75) / Math.min(...ms)),
      0.5,
    ),
    largest: Math.max(...repeated.map((ms) => Math.max(...ms) / Math.min(...ms))),
  };
}
