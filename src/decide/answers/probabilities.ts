/** Emitted numbers are whole ten-thousandths: 4 decimals. */
export const UNITS = 10_000;

/** Largest accepted deviation of the sum of probabilities from 1. */
const SUM_TOLERANCE = 1e-6;

/**
 * Rounds probabilities to integers of 1/10000 that sum to exactly 10000, by the largest remainder; ties go to the
 * earlier option. A larger probability never gets a smaller integer.
 *
 * @param p probabilities that sum to 1
 * @returns one integer per probability, in their order
 * @throws Error if they are not probabilities
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
