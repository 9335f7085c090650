import { softmaxOrNaN } from '../../base/index.js';

/**
 * How far the probabilities that a thread gives to the options of the first question may be from those of the check on the
 * CPU. Quantized weights on an H100 differed by at most 0.018 (docs/performance.md, Answers); deeper models and coarser
 * quantizations differ more. Broken drivers and kernels give NaN, equal logits, or unrelated ones.
 */
export const FIRST_DIFFERENCE_MAX = 0.25;

/** Throws an Error, with both answers, if a thread answers the first question otherwise than the check. */
export function requireFirstAnswer(expected: readonly number[], found: readonly number[]): void {
  const [wanted, computed] = [softmaxOrNaN(expected), softmaxOrNaN(found)];
  const furthest = Math.max(...wanted.map((p, option) => Math.abs(p - (computed[option] as number))));
  if (furthest <= FIRST_DIFFERENCE_MAX && (!isFlat(found) || isFlat(expected))) return;
  throw new Error(
    `the device gives the options of the first question the probabilities ${show(computed)}, and the CPU ${show(wanted)}; they may be ${FIRST_DIFFERENCE_MAX} apart. Run decider tune, which compares more answers`,
  );
}

/** Whether all options have the same logit: with sound weights, no question is answered so. */
export const isFlat = (logits: readonly number[]) => logits.every((logit) => logit === logits[0]);

const show = (values: readonly number[]) => values.map((p) => p.toFixed(2)).join(', ');
