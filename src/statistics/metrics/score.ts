import type { Measured } from './metrics-types.js';

/** The floor of a probability in the log loss: half of the smallest that a server emits. */
export const PROBABILITY_MIN = 0.00005;

/** The largest Brier score and log loss of a question. */
export const BRIER_MAX = 2;
export const LOG_LOSS_MAX = -Math.log(PROBABILITY_MIN);

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

/** The index of the largest probability; of equal ones the first. */
export function chosen(probabilities: readonly number[]): number {
  return probabilities.indexOf(confidenceOf(probabilities));
}

/** The probability of the most probable option. */
export const confidenceOf = (probabilities: readonly number[]): number => Math.max(...probabilities);

type Answered = Pick<Measured, 'probabilities' | 'expected'>;

export const isCorrect = ({ probabilities, expected }: Answered): boolean =>
  chosen(probabilities) === expected;

/** Σ (pᵢ − yᵢ)² over the options (Brier 1950). */
export function brierOf({ probabilities, expected }: Answered): number {
  return probabilities.reduce((total, p, index) => total + (p - (index === expected ? 1 : 0)) ** 2, 0);
}

/** −ln p of the correct option, in nats. */
export function logLossOf({ probabilities, expected }: Answered): number {
  return -Math.log(Math.max(probabilities[expected] as number, PROBABILITY_MIN));
}

/** ½ Σ|pᵢ − qᵢ|: the total variation distance. */
export function distanceOf(p: readonly number[], q: readonly number[]): number {
  return p.reduce((total, each, index) => total + Math.abs(each - (q[index] as number)), 0) / 2;
}
