import { checkProbabilities, confidenceOf } from '../metrics/score.js';
import { recalibrated } from '../temperature/temperature.js';

/**
 * The server emits probabilities with four decimals and answers with the first of equal ones. If the two largest differ by
 * less than this, the emitted answer may be the other one.
 */
const MARGIN_MIN = 0.0002;

/** Which answers to a question are accepted. Belongs to a fit. */
export interface Acceptance {
  /** Divides the logits again, after the temperature of the build; 1 changes nothing. */
  readonly temperature: number;
  /** The smallest confidence that is accepted; null: the fit found none. */
  readonly threshold: number | null;
}

/**
 * Whether an answer is accepted: its confidence, which is the largest probability at the temperature of the fit, reaches
 * the threshold. A tie of the two largest probabilities is never accepted.
 *
 * @param probabilities one per option, as the build gave them, neither rounded to four decimals nor committed: with the digits
 *   of `keptProbabilities`, so that a fit has tested the same numbers
 * @returns null if there is no threshold
 * @throws Error if they are not probabilities that sum to 1
 */
export function isAccepted(
  { temperature, threshold }: Acceptance,
  probabilities: readonly number[],
): boolean | null {
  checkProbabilities(probabilities);
  return threshold === null ? null : scoreOf(probabilities, temperature) >= threshold;
}

/** The confidence that is compared with thresholds, which are above 0: 0 for a tie. */
export function scoreOf(probabilities: readonly number[], temperature: number): number {
  const after = recalibrated(probabilities, temperature);
  return isTie(probabilities) || isTie(after) ? 0 : confidenceOf(after);
}

function isTie(probabilities: readonly number[]): boolean {
  let [first, second] = [0, 0];
  for (const p of probabilities) {
    if (p > first) [first, second] = [p, first];
    else if (p > second) second = p;
  }
  return first - second < MARGIN_MIN;
}
