import {
  isArrayOf,
  isCount,
  isNullOr,
  isNumber,
  isObjectOf,
  isOneOf,
  type Shape,
  type ValueOf,
} from '../../base/index.js';
import { checkTarget, type Target } from '../threshold/certified-threshold.js';

/** The error shares that are bet on, as factors of the odds of the target. */
const ODDS_FACTORS = [1.25, 1.6, 2, 3, 5, 10];

const isShare: Shape<number> = (value): value is number => isNumber(value) && value > 0 && value < 1;
const isWealth: Shape<number> = (value): value is number => isNumber(value) && value >= 0;

const isState = isObjectOf({
  format: isOneOf('error test 1'),
  error: isShare,
  confidence: isShare,
  /** Labelled accepted answers, and how many of them are wrong. */
  labels: isCount,
  wrong: isCount,
  /** The wealth of each bet without the part that is not bet yet. */
  wealth: isArrayOf(isWealth),
  /** The number of labels when the alarm was raised. */
  alarm: isNullOr(isCount),
});

/** What the test knows, as JSON. */
export type ErrorTest = ValueOf<typeof isState>;

/** A test without labels. Throws Error if the target is not between 0 and 1. */
export function errorTest(target: Target): ErrorTest {
  checkTarget(target);
  const { error, confidence } = target;
  const wealth = ODDS_FACTORS.map(() => 0);
  return { format: 'error test 1', error, confidence, labels: 0, wrong: 0, wealth, alarm: null };
}

/** The test of a state; null if it is not one that this version writes. */
export const errorTestFrom = (state: unknown): ErrorTest | null =>
  isState(state) && state.wealth.length === ODDS_FACTORS.length && state.wrong <= state.labels ? state : null;

/**
 * Adds a labelled accepted answer. Tests "no answer is wrong with a higher probability than the target, given those before
 * it", at all times at once: while that is true, an alarm is ever raised with at most the probability 1 − confidence, however
 * long and often one looks.
 *
 * The evidence is the wealth of bets at fair odds (Ville 1939; Waudby-Smith and Ramdas 2024, "Estimating means of bounded
 * random variables by betting"): a bet on the error share q multiplies by q / target if the answer is wrong, and by
 * (1 − q) / (1 − target) if it is right. Its mean is at most 1 under the hypothesis, and by Ville's inequality it reaches
 * 1 / (1 − confidence) with at most the probability 1 − confidence. The evidence is the mean over several q.
 *
 * A bet that starts with the first label would have lost everything when the error rises later. So a part of the wealth is
 * bet from each label on: 1/√t − 1/√(t + 1) from the t-th, which sums to 1 (a mixture over the time of the change, as in
 * Shiryaev 1963, but with a bound for all times).
 *
 * Assumes that the labelled answers are a random sample of the accepted ones, and were not labels of the fit. Each answer is
 * added once: a corrected label is not added again.
 */
export function withLabel(test: ErrorTest, wrong: boolean): ErrorTest {
  const labels = test.labels + 1;
  const started = unbet(test.labels) - unbet(labels);
  const wealth = test.wealth.map((each, index) => {
    const odds = (test.error / (1 - test.error)) * (ODDS_FACTORS[index] as number);
    const q = odds / (1 + odds);
    const factor = wrong ? q / test.error : (1 - q) / (1 - test.error);
    return Math.min(WEALTH_MAX, (each + started) * factor);
  });
  const next = { ...test, labels, wrong: test.wrong + Number(wrong), wealth };
  const raised = evidenceOf(next) >= 1 / (1 - test.confidence);
  return { ...next, alarm: test.alarm ?? (raised ? labels : null) };
}

/** So that JSON can hold it. */
const WEALTH_MAX = 1e100;

/** The part of the wealth that no bet has used yet. */
const unbet = (labels: number): number => 1 / Math.sqrt(labels + 1);

/** The evidence that the error exceeds the target: the alarm is raised when it reaches 1 / (1 − confidence). */
export const evidenceOf = ({ wealth, labels }: ErrorTest): number =>
  wealth.reduce((a, b) => a + b, 0) / wealth.length + unbet(labels);
