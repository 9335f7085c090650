/** Steps of one search. If the first rate is within a factor of 16 of the result, 10 suffice for the precision. */
export const SEARCH_STEPS_MAX = 20;
/** A search ends when the lowest failing rate is at most this much above the highest passing one. */
export const SEARCH_PRECISION = 0.05;
/** If rates down to this fraction of the first one fail, no rate passes: requests hardly queue there. */
const LOWEST = 1 / 8;

/** Why a search ended before it was done. `time`: its time was over. */
type SearchEnd = 'interrupted' | 'time';

export interface Found {
  /** The highest rate that passed; null if none did. */
  readonly rate: number | null;
  /** The lowest rate that failed; null if none did. */
  readonly failing: number | null;
  readonly steps: number;
  /** Why the search ended. */
  readonly ended: 'precision' | 'steps' | 'none_passes' | 'rate_limit' | SearchEnd;
}

/**
 * Searches for the highest rate that passes: doubles or halves `first` until one rate passes and a higher one fails, then
 * bisects on a logarithmic scale. `passes` measures one rate, or says why the search ends. No rate above `rateMax` is
 * measured.
 */
export async function findRate(
  first: number,
  rateMax: number,
  passes: (rate: number) => Promise<boolean | SearchEnd>,
): Promise<Found> {
  let [low, high, steps]: [number | null, number | null, number] = [null, null, 0];
  const end = (ended: Found['ended']): Found => ({ rate: low, failing: high, steps, ended });
  for (let rate = Math.min(first, rateMax); ; ) {
    if (steps === SEARCH_STEPS_MAX) return end('steps');
    const passed = await passes(rate);
    if (typeof passed === 'string') return end(passed);
    steps += 1;
    if (passed) low = rate;
    else high = rate;
    if (high === null && rate >= rateMax) return end('rate_limit');
    if (low === null && rate <= first * LOWEST) return end('none_passes');
    if (low !== null && high !== null && high / low <= 1 + SEARCH_PRECISION) return end('precision');
    if (high === null) rate = Math.min(rate * 2, rateMax);
    else if (low === null) rate /= 2;
    else rate = Math.sqrt(low * high);
  }
}
