import { totalOf } from './distribution.js';

/** Added to each count, so that a class without answers has a logarithm. */
const SMOOTHING = 0.5;

/** The population stability index of two sets of answers. */
interface StabilityIndex {
  /** If the shares are equal, 0 for equally many answers and near it for others. Rules of thumb call 0.1 a small and 0.25 a large shift. */
  readonly value: number;
  /** About its mean if nothing has changed, because both sets are samples. */
  readonly unchanged: number;
}

/**
 * The population stability index Σ (q − p) ln(q / p) over classes (Siddiqi 2006, "Credit Risk Scorecards"), and its mean
 * (classes − 1) (1/n + 1/m) for samples of one distribution (Yurdakul 2018, "Statistical Properties of Population Stability
 * Index"). Classes without answers in both sets do not count: with those that cannot occur, such as a confidence below 0.5 of
 * two options, the mean would be 20 to 130 % too large. A description, not a test. Assumes independent answers.
 *
 * @returns null if one of them is empty
 */
export function stabilityIndex(
  reference: readonly number[],
  answers: readonly number[],
): StabilityIndex | null {
  const [n, m] = [totalOf(reference), totalOf(answers)];
  if (n === 0 || m === 0) return null;
  const pairs = reference
    .map((count, index) => [count, answers[index] as number] as const)
    .filter(([before, now]) => before + now > 0);
  const classes = pairs.length;
  const value = pairs.reduce((sum, [before, now]) => {
    const p = (before + SMOOTHING) / (n + SMOOTHING * classes);
    const q = (now + SMOOTHING) / (m + SMOOTHING * classes);
    return sum + (q - p) * Math.log(q / p);
  }, 0);
  return { value, unchanged: (classes - 1) * (1 / n + 1 / m) };
}
