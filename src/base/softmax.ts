/**
 * Softmax of option logits in double precision: exp(l / T), normalized. The largest logit is subtracted first, so that
 * nothing overflows.
 *
 * @param logits one per option, at least one, all finite
 * @param temperature divides the logits; finite and above 0
 * @returns one probability per option; they sum to 1 within rounding
 * @throws Error if an argument is invalid: the engine has failed, and there is no answer
 */
export function softmax(logits: ArrayLike<number>, temperature: number): Float64Array {
  const scaled = Float64Array.from(logits);
  if (scaled.length === 0) throw new Error('no logits');
  if (!scaled.every(Number.isFinite)) throw new Error('a logit is not finite');
  if (!Number.isFinite(temperature) || temperature <= 0) throw new Error('the temperature is not above 0');
  const largest = scaled.reduce((a, b) => Math.max(a, b));
  const weights = scaled.map((logit) => Math.exp((logit - largest) / temperature));
  const sum = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / sum);
}

/** The same at a temperature of 1, for logits that may not be finite: then every probability is NaN. */
export const softmaxOrNaN = (logits: ArrayLike<number>): number[] => {
  const numbers = Array.from(logits);
  return numbers.every(Number.isFinite) ? [...softmax(numbers, 1)] : numbers.map(() => Number.NaN);
};
