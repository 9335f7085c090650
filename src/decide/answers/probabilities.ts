/** Emitted numbers are whole ten-thousandths: 4 decimals. */
export const UNITS = 10_000;

/** How far from 1 the sum of probabilities may be before they count as broken. */
const SUM_TOLERANCE = 1e-6;

/**
 * Probabilities as they are emitted: integers of 1/10000 that sum to exactly 10000, by largest remainder (of
 * equal remainders the earlier option's). A larger probability never gets the smaller integer.
 *
 * @param p probabilities that sum to 1
 * @returns one integer per probability, in their order
 * @throws Error where they are not probabilities
 */
export function roundProbabilities(p: ArrayLike<number>): number[] {
  const exact = Array.from(p, (value) => value * UNITS);
  const sum = exact.reduce((a, b) => a + b, 0);
  // Written so that NaN fails too.
  if (!(exact.every((value) => value >= 0) && Math.abs(sum - UNITS) <= SUM_TOLERANCE * UNITS)) {
    throw new Error('not probabilities that sum to 1');
  }
  const units = exact.map(Math.floor);
  const missing = UNITS - units.reduce((a, b) => a + b, 0);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of byRemainder.slice(0, missing)) units[index]! += 1;
  return units;
}
