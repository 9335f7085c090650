import { lowerBound } from '../../../src/statistics/numerics/binomial.js';

/** The probability that samples seem to show by chance that a share is above its bound, at most. */
export const TAIL = 0.001;
/** How many more samples repeat a finding. */
const MORE = 10;

/**
 * Whether samples show that more than a share of all have a property: so many of them, and then again ten times as many
 * others. Otherwise a correct program would fail once in a thousand runs; so it does once in a million.
 *
 * @param having makes so many samples, and returns how many of them have the property
 */
export function isShownAbove(share: number, samples: number, having: (samples: number) => number): boolean {
  return [samples, MORE * samples].every((count) => lowerBound(having(count), count, TAIL) > share);
}
