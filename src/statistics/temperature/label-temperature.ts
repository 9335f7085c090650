import type { BootstrapOptions } from '../metrics/bootstrap.js';
import { chosen } from '../metrics/score.js';
import { crossValidate, foldsOf, type LossChange, lossChangeOf } from './cross-validation.js';
import { sampleOf } from './temperature.js';

/**
 * The fewest labels from which a temperature of one question is fitted. Fewer than those of `decider eval --fit`: there is
 * one number to fit, and nothing of other questions depends on it.
 */
export const TEMPERATURE_LABELS_MIN = 100;
export const TEMPERATURE_WRONG_MIN = 10;

/** A further temperature for the answers of one question. */
export interface LabelTemperature {
  /** Divides the logits after the temperature of the build; 1 if none was fitted or it does not help. */
  readonly value: number;
  /** Labels that it was fitted to. */
  readonly labels: number;
  /** Why none was fitted; null if one was. */
  readonly refused: string | null;
  /** On the folds that were not used for fitting. */
  readonly cross_validated: LossChange | null;
}

/**
 * Fits the temperature of one question as `decider eval --fit` does that of a type: the smallest log loss (Guo et al. 2017),
 * used only if the interval of the change on the other folds lies below 0. Assumes independent labels.
 */
export function fitLabelTemperature(
  labels: ReadonlyArray<{ readonly probabilities: readonly number[]; readonly expected: number }>,
  options: BootstrapOptions,
): LabelTemperature {
  const wrong = labels.filter(({ probabilities, expected }) => chosen(probabilities) !== expected).length;
  const without = (refused: string): LabelTemperature => ({
    value: 1,
    labels: labels.length,
    refused,
    cross_validated: null,
  });
  if (labels.length < TEMPERATURE_LABELS_MIN || wrong < TEMPERATURE_WRONG_MIN) {
    return without(
      `${labels.length} labels with ${wrong} wrong answers, at least ${TEMPERATURE_LABELS_MIN} with ${TEMPERATURE_WRONG_MIN} are needed`,
    );
  }
  const samples = labels.map(({ probabilities, expected }) => sampleOf(probabilities, 1, expected));
  const clusters = samples.map((_, index) => index);
  const { losses, temperature, atBound } = crossValidate(samples, foldsOf(clusters, options.seed));
  if (atBound)
    return without('the best temperature is out of range: the answers are unrelated to the questions');
  const before = samples.map(({ loss }) => loss);
  const change = lossChangeOf(clusters, before, losses, options);
  return {
    value: change.improves ? temperature : 1,
    labels: labels.length,
    refused: null,
    cross_validated: change,
  };
}
