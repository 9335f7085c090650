import { isArrayOf, isCount, isObjectOf } from '../../base/index.js';
import { checkProbabilities, chosen, confidenceOf } from '../metrics/score.js';

/**
 * The bounds between classes of confidence. They are fixed: bounds at quantiles of the reference would depend on the sample
 * that is tested. Close to 1, where most answers are, they are closer to each other.
 */
export const CONFIDENCE_BOUNDS = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999] as const;
const CLASSES = CONFIDENCE_BOUNDS.length + 1;

/** How often each option was chosen, and how often the confidence was in each class, lowest first. */
export interface Counts {
  readonly chosen: number[];
  readonly confidence: number[];
}

export const isCounts = isObjectOf({ chosen: isArrayOf(isCount), confidence: isArrayOf(isCount) });

/** No answers to a question with this number of options. */
export const emptyCounts = (options: number): Counts => ({
  chosen: new Array<number>(options).fill(0),
  confidence: new Array<number>(CLASSES).fill(0),
});

/** The chosen option and the class of confidence of an answer, in one number. */
export type AnswerCode = number;

/** The number of codes, which begin with 0. */
export const codesOf = (options: number): number => options * CLASSES;

/**
 * The code of an answer.
 *
 * @param probabilities as in a `LabelledAnswer`
 * @throws Error if they are not probabilities that sum to 1
 */
export function answerCode(probabilities: readonly number[]): AnswerCode {
  checkProbabilities(probabilities);
  const confidence = confidenceOf(probabilities);
  const reached = CONFIDENCE_BOUNDS.filter((bound) => confidence >= bound).length;
  return chosen(probabilities) * CLASSES + reached;
}

/** Adds an answer, or removes it with −1. */
export function count(counts: Counts, code: AnswerCode, by: 1 | -1): void {
  counts.chosen[Math.floor(code / CLASSES)]! += by;
  counts.confidence[code % CLASSES]! += by;
}

export const totalOf = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);

/** The share of each class; all 0 without answers. */
export const sharesOf = (counts: readonly number[]): number[] => {
  const total = Math.max(1, totalOf(counts));
  return counts.map((each) => each / total);
};
