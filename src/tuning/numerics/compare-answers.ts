import { softmaxOrNaN } from '../../base/index.js';

/** How far two sets of answers to the same questions are apart. */
export interface Difference {
  readonly questions: number;
  /** The largest and the mean |Δp| over all options; NaN if a logit is not finite. */
  readonly largest: number;
  readonly mean: number;
  /** Questions whose most probable option differs. */
  readonly changed: number;
}

/** Compares the probabilities of options, given their logits by question. */
export function compare(expected: readonly Float32Array[], found: readonly Float32Array[]): Difference {
  const pairs = expected.map(
    (logits, i) => [softmaxOrNaN(logits), softmaxOrNaN(found[i] as Float32Array)] as const,
  );
  const differences = pairs.flatMap(([a, b]) => a.map((p, option) => Math.abs(p - (b[option] as number))));
  const others = pairs.filter(([a, b]) => a.indexOf(Math.max(...a)) !== b.indexOf(Math.max(...b)));
  return {
    questions: pairs.length,
    largest: Math.max(...differences),
    mean: differences.reduce((sum, value) => sum + value, 0) / differences.length,
    changed: others.length,
  };
}
