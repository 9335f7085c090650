import { logChoose } from './log-factorial.js';

const NEGLIGIBLE = 1e-17;

/** How many of a sample have a property. */
interface Count {
  readonly having: number;
  readonly of: number;
}

/**
 * The p-value of "two samples have the same proportion": twice the smaller tail of the hypergeometric distribution (Fisher
 * 1935, the exact test; doubling as in Yates 1984), at most 1. Under the hypothesis it is at most x with at most the
 * probability x, for samples of any size, also of different sizes. Assumes independent draws.
 */
export function sameProportion(a: Count, b: Count): number {
  const having = a.having + b.having;
  const all = a.of + b.of;
  // By symmetry, the lower tail of `a` or that of the draws of `a` without the property.
  const isLow = a.having * all <= having * a.of;
  const tail = isLow
    ? lowerTail(a.having, a.of, having, all)
    : lowerTail(a.of - a.having, a.of, all - having, all);
  return Math.min(1, 2 * tail);
}

/** P(X ≤ x) where X of `draws` draws without replacement are among the `having` of `all`; x is at most the mean. */
function lowerTail(x: number, draws: number, having: number, all: number): number {
  if (draws === 0 || having === 0 || draws === all || having === all) return 1;
  const logarithm = logChoose(having, x) + logChoose(all - having, draws - x) - logChoose(all, draws);
  let term = Math.exp(logarithm);
  let sum = 0;
  for (let i = x; i >= 0 && term > sum * NEGLIGIBLE; i -= 1) {
    sum += term;
    term *= (i / (having - i + 1)) * ((all - having - draws + i) / (draws - i + 1));
  }
  return Math.min(1, sum);
}
