import type { Random } from '../../../src/base/index.js';
import type { LabelledAnswer } from '../../../src/statistics/index.js';

/** A question whose answers have a known error at each confidence. */
export interface Shape {
  readonly options: number;
  /** The confidence of an answer: 1/options to 1. */
  readonly confidence: (next: Random) => number;
  /** The probability that an answer of a confidence is wrong. */
  readonly error: (confidence: number) => number;
}

/** Most answers have a confidence near 1; more of them with a larger power. */
const towardsOne =
  (options: number, power: number): Shape['confidence'] =>
  (next) =>
    1 - (1 - 1 / options) * next.number() ** power;

export const SHAPES: Readonly<Record<string, Shape>> = {
  calibrated: { options: 2, confidence: towardsOne(2, 3), error: (c) => 1 - c },
  'calibrated, 4 options': { options: 4, confidence: towardsOne(4, 4), error: (c) => 1 - c },
  overconfident: { options: 3, confidence: towardsOne(3, 6), error: (c) => Math.min(2 / 3, 4 * (1 - c)) },
  underconfident: { options: 2, confidence: towardsOne(2, 2), error: (c) => (1 - c) / 3 },
  'few errors': { options: 2, confidence: towardsOne(2, 6), error: (c) => 0.03 * (1 - c) },
  // The target is missed by little everywhere: the hardest case.
  'every error 5.2 %': { options: 2, confidence: towardsOne(2, 2), error: () => 0.052 },
  'most errors at the top': {
    options: 2,
    confidence: towardsOne(2, 2),
    error: (c) => (c > 0.98 ? 0.08 : c > 0.8 ? 0.03 : 0.3),
  },
  'one confidence': { options: 2, confidence: () => 0.9, error: () => 0.04 },
};

/** The probabilities of an answer: the others share what the chosen option leaves. */
export function probabilitiesAt({ options }: Shape, confidence: number, chosen: number): number[] {
  const rest = (1 - confidence) / (options - 1);
  return Array.from({ length: options }, (_, index) => (index === chosen ? confidence : rest));
}

/** Labelled answers of a shape. */
export function drawLabels(next: Random, shape: Shape, count: number): LabelledAnswer[] {
  return Array.from({ length: count }, (_, id) => {
    const confidence = shape.confidence(next);
    const chosen = next.integer(shape.options);
    const other = (chosen + 1 + next.integer(shape.options - 1)) % shape.options;
    const expected = next.number() < shape.error(confidence) ? other : chosen;
    return { id: `label-${id}`, probabilities: probabilitiesAt(shape, confidence, chosen), expected };
  });
}
