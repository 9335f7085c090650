/** As in the rounding of answers (contract 2.4). */
const SUM_TOLERANCE = 1e-6;

/** Throws Error if these are not probabilities that sum to 1, such as NaN: the engine or the storage has failed. */
export function checkProbabilities(probabilities: readonly number[]): void {
  let sum = 0;
  for (const p of probabilities) {
    // Written so that NaN fails too.
    if (!(p >= 0)) throw new Error('a probability is not a number from 0');
    sum += p;
  }
  if (!(Math.abs(sum - 1) <= SUM_TOLERANCE)) throw new Error('the probabilities do not sum to 1');
}
