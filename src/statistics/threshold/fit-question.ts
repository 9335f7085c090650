import type { BootstrapOptions } from '../metrics/bootstrap.js';
import type { Estimate, Quality } from '../metrics/metrics-types.js';
import { qualityOf } from '../metrics/quality.js';
import { checkProbabilities, chosen } from '../metrics/score.js';
import { exactInterval } from '../numerics/binomial.js';
import { fitLabelTemperature, type LabelTemperature } from '../temperature/label-temperature.js';
import { recalibrated } from '../temperature/temperature.js';
import { scoreOf } from './acceptance.js';
import {
  acceptedMin,
  type CertifiedThreshold,
  certifyThreshold,
  checkTarget,
  type Scored,
  type Target,
} from './certified-threshold.js';
import { type MoreCoverage, moreCoverageOf } from './more-coverage.js';
import { labelsFor, splitLabels } from './split.js';

/** An answer whose correct value is known. */
export interface LabelledAnswer {
  /** Unique among the labels of a fit, and always the same for this label: its hash says what the label is used for. */
  readonly id: string;
  /** By option, as given to `isAccepted`: the sides of `noul` (true first), the labels, or the levels. */
  readonly probabilities: readonly number[];
  /** The index of the correct option. */
  readonly expected: number;
}

/** What the labels of a question give. */
export interface QuestionFit {
  readonly labels: number;
  /** The labels that chose neither the temperature nor the thresholds to test; all but `more` is measured on them. */
  readonly tested: number;
  readonly temperature: LabelTemperature;
  /** At that temperature. */
  readonly quality: Quality;
  /** Null: no threshold keeps the target with its confidence. */
  readonly threshold: FittedThreshold | null;
  /** Larger coverages, and the number of labels that each would probably need; smallest coverage first. */
  readonly more: readonly MoreCoverage[];
}

interface FittedThreshold extends CertifiedThreshold {
  /** The share of answers that is accepted. */
  readonly coverage: Estimate;
  /** The share of the accepted ones that is wrong. */
  readonly error: Estimate;
}

/** There are too few labels for the target, even if all answers were accepted and right. */
export interface TooFewLabels {
  readonly refused: 'too_few_labels';
  readonly labels: number;
  readonly needed: number;
}

/** Of the intervals of coverage and error; that of the guarantee is a part of the target. */
const INTERVAL_CONFIDENCE = 0.95;

/**
 * Fits a temperature and a threshold to the labelled answers of one question and one build.
 *
 * A quarter of the labels, chosen by a hash of their ids, fits the temperature and fixes the sequence of thresholds; the
 * others test them (`certifyThreshold`). Cross-fitting would test every label, but for thresholds at five temperatures,
 * none of which is the one in use, so that its bound would hold only approximately. A split keeps it exact.
 *
 * An answer is right if its most probable option is the expected one; for `score`, if the level is. The confidence is the
 * largest probability, for all question types: not the `confidence` of a response, and not the committed probability of
 * `noul`.
 *
 * The guarantee is that of this question and of this fit: it fails for at most 1 − confidence of all fits. Of a task with
 * several questions, each may fail. Fits that are repeated until there is a threshold fail more often. It assumes that labels
 * and future answers are independent draws from one distribution, as a random sample of the traffic is: the error of
 * other traffic may be any.
 *
 * Takes seconds with 100,000 labels: not for a thread that serves requests.
 *
 * @param bootstrap of the intervals of `quality` and of the temperature
 * @throws Error if a label is invalid, two have the same id, or the target is not between 0 and 1
 */
export function fitQuestion(
  labels: readonly LabelledAnswer[],
  target: Target,
  bootstrap: BootstrapOptions,
): QuestionFit | TooFewLabels {
  checkTarget(target);
  for (const label of labels) checkLabel(label, labels[0] as LabelledAnswer);
  if (new Set(labels.map(({ id }) => id)).size < labels.length) throw new Error('labels share an id');
  const needed = labelsFor(acceptedMin(target));
  if (labels.length < needed) return { refused: 'too_few_labels', labels: labels.length, needed };
  const { choosing, testing } = splitLabels(labels);
  const temperature = fitLabelTemperature(choosing, bootstrap);
  const scored = (part: readonly LabelledAnswer[]) => part.map((label) => scoredOf(label, temperature.value));
  const [first, second] = [scored(choosing), scored(testing)];
  // No confidence is smaller, so that it accepts all answers but ties.
  const lowest = 1 / (labels[0] as LabelledAnswer).probabilities.length;
  const threshold = certifyThreshold(first, second, target, lowest);
  return {
    labels: labels.length,
    tested: testing.length,
    temperature,
    quality: qualityOf(
      testing.map(({ id, probabilities, expected }) => ({
        case: id,
        group: null,
        expected,
        probabilities: recalibrated(probabilities, temperature.value),
      })),
      bootstrap,
    ),
    threshold: threshold === null ? null : withIntervals(threshold, testing.length),
    more: moreCoverageOf(first, second, target, lowest, threshold?.threshold ?? Number.POSITIVE_INFINITY),
  };
}

function checkLabel({ probabilities, expected }: LabelledAnswer, first: LabelledAnswer): void {
  checkProbabilities(probabilities);
  if (probabilities.length !== first.probabilities.length) throw new Error('labels differ in their options');
  if (!(Number.isInteger(expected) && expected >= 0 && expected < probabilities.length)) {
    throw new Error('the expected option of a label is not one of its options');
  }
}

const scoredOf = ({ probabilities, expected }: LabelledAnswer, temperature: number): Scored => ({
  score: scoreOf(probabilities, temperature),
  correct: chosen(probabilities) === expected,
});

function withIntervals(found: CertifiedThreshold, testing: number): FittedThreshold {
  const estimate = (k: number, n: number): Estimate => ({
    value: k / n,
    ci: exactInterval(k, n, INTERVAL_CONFIDENCE),
  });
  return {
    ...found,
    coverage: estimate(found.accepted, testing),
    error: estimate(found.wrong, found.accepted),
  };
}
