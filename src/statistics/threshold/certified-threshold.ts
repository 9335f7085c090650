import { binomialAtMost, upperBound } from '../numerics/binomial.js';

/** What a threshold promises. */
export interface Target {
  /** The largest share of wrong answers among the accepted ones: above 0, below 1. */
  readonly error: number;
  /** The probability with which a fit keeps it: above 0, below 1. */
  readonly confidence: number;
}

/** A labelled answer, as a threshold sees it. */
export interface Scored {
  /** See `scoreOf`. */
  readonly score: number;
  readonly correct: boolean;
}

/** A threshold that keeps its target with the confidence of it. */
export interface CertifiedThreshold {
  readonly threshold: number;
  /** Of the labels that tested it. */
  readonly accepted: number;
  readonly wrong: number;
  /** The upper confidence bound of the error among accepted answers; at most the target. */
  readonly error_max: number;
}

/** Of candidates, at most. */
const STEPS = 50;
/** Of the calibrated error in the predicted one, in answers. */
const CALIBRATED_WEIGHT = 10;
/** Probabilities that are so close count as equal. */
const EQUALLY_LIKELY = 0.05;
/** Digits of a threshold. It is rounded before it is tested, so that what is stored is what was tested. */
const DIGITS = 6;

/** Throws Error if a part of it is not above 0 and below 1. */
export function checkTarget({ error, confidence }: Target): void {
  if (!(error > 0 && error < 1 && confidence > 0 && confidence < 1)) {
    throw new Error('a target is not above 0 and below 1');
  }
}

/** The fewest accepted answers that can keep a target, if all of them are right. */
export const acceptedMin = ({ error, confidence }: Target): number =>
  Math.ceil(Math.log1p(-confidence) / Math.log1p(-error) - 1e-9);

/** The p-value of "the error among accepted answers is above the target": P(at most `wrong` of `accepted`) at the target. */
export const pValue = (wrong: number, accepted: number, { error }: Target): number =>
  accepted === 0 ? 1 : binomialAtMost(wrong, accepted, error);

/**
 * The lowest threshold that keeps a target, by split fixed-sequence testing (Angelopoulos, Bates, Candès, Jordan and Lei
 * 2021, "Learn then Test", with the order of the tests learned on other data; selective classification with a binomial
 * bound: Geifman and El-Yaniv 2017, SGR).
 *
 * The choosing labels fix a falling sequence of thresholds. Each is tested on the testing labels: the hypothesis "its error
 * is above the target" is rejected if its binomial p-value is at most 1 − confidence, which is the same as that the bound of
 * Clopper and Pearson is at most the target. The sequence ends with the first hypothesis that is not rejected. To accept a
 * threshold that does not keep the target, the first such one of the sequence must be rejected; as the sequence is fixed
 * before the testing labels are seen, that has at most the probability 1 − confidence, for any number of labels and any
 * relation of confidence and error, also one that is not monotone. There is no correction for the number of thresholds.
 *
 * Thresholds at quantiles of the testing labels would not be fixed, and the bound would be wrong: the ones of the choosing
 * labels are. Equal scores are accepted or rejected together, so that ties need no care.
 *
 * Assumes that the testing labels and the future answers are independent draws from one distribution.
 *
 * @param lowest the threshold that accepts all answers that can be accepted
 * @returns null if the first threshold of the sequence does not keep the target
 */
export function certifyThreshold(
  choosing: readonly Scored[],
  testing: readonly Scored[],
  target: Target,
  lowest: number,
): CertifiedThreshold | null {
  let found: CertifiedThreshold | null = null;
  for (const threshold of sequenceOf(choosing, testing.length, target, lowest)) {
    const { accepted, wrong } = countFrom(testing, threshold);
    if (pValue(wrong, accepted, target) > 1 - target.confidence) break;
    found = { threshold, accepted, wrong, error_max: upperBound(wrong, accepted, 1 - target.confidence) };
  }
  return found;
}

/** The answers that a threshold accepts. */
export function countFrom(scored: readonly Scored[], threshold: number): { accepted: number; wrong: number } {
  let [accepted, wrong] = [0, 0];
  for (const { score, correct } of scored) {
    if (score < threshold) continue;
    accepted += 1;
    if (!correct) wrong += 1;
  }
  return { accepted, wrong };
}

/** At most `STEPS` thresholds, highest first, at evenly spaced shares of the scores; the last one is `lowest`. */
export function candidatesOf(scored: readonly Scored[], lowest: number): number[] {
  const scores = scored
    .map(({ score }) => score)
    .filter((score) => score > lowest)
    .sort((a, b) => b - a);
  const steps = Math.min(STEPS - 1, scores.length);
  const found = Array.from({ length: steps }, (_, step) => {
    const score = scores[Math.ceil(((step + 1) * scores.length) / steps) - 1] as number;
    return Number(score.toPrecision(DIGITS));
  });
  return [...new Set([...found, lowest])];
}

/**
 * The thresholds to test. The first is the one that is most likely to keep the target, as far as the choosing labels tell: a
 * higher one accepts too few answers to prove anything, a lower one has more errors. Of about equally likely ones, it is the
 * middle one. Then all candidates below it. A bad choice makes it less likely that a threshold is found, and no guarantee
 * wrong.
 */
function sequenceOf(
  choosing: readonly Scored[],
  testing: number,
  target: Target,
  lowest: number,
): readonly number[] {
  if (choosing.length === 0) return [lowest];
  const candidates = candidatesOf(choosing, lowest);
  const likely = candidates.map((threshold) => {
    const accepted = choosing.filter(({ score }) => score >= threshold);
    const expected = Math.floor((accepted.length * testing) / choosing.length);
    return binomialAtMost(wrongMax(expected, target), expected, predictedError(accepted));
  });
  const largest = Math.max(...likely);
  const best = [...likely.keys()].filter((at) => (likely[at] as number) >= largest - EQUALLY_LIKELY);
  return candidates.slice(best[Math.floor(best.length / 2)]);
}

/** The most wrong answers with which a number of accepted ones keeps the target; −1 if none do. */
function wrongMax(accepted: number, target: Target): number {
  let [low, high] = [-1, accepted];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (pValue(middle, accepted, target) <= 1 - target.confidence) low = middle;
    else high = middle;
  }
  return low;
}

/** The observed error together with that of calibrated answers, 1 − confidence, because few labels have few errors. */
function predictedError(accepted: readonly Scored[]): number {
  const wrong = accepted.filter(({ correct }) => !correct).length;
  const calibrated = accepted.reduce((sum, { score }) => sum + 1 - score, 0) / Math.max(1, accepted.length);
  return (wrong + CALIBRATED_WEIGHT * calibrated) / (accepted.length + CALIBRATED_WEIGHT);
}
