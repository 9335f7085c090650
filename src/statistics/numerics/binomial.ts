import { logChoose } from './log-factorial.js';

/** Terms below this part of the sum do not change it. */
const NEGLIGIBLE = 1e-17;
const HALVINGS = 60;

/**
 * P(X ≤ k) for X ~ Bin(n, p): the terms of the smaller tail, summed from the largest one on.
 *
 * @param k a whole number, -1 to n
 * @param p 0 to 1
 */
export function binomialAtMost(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n || p === 0) return 1;
  if (p === 1) return 0;
  return k <= n * p ? lowerTail(k, n, p) : 1 - lowerTail(n - k - 1, n, 1 - p);
}

/** P(X ≤ k) for k below n p + 1, where each term is smaller than the one before it. */
function lowerTail(k: number, n: number, p: number): number {
  let term = Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
  let sum = 0;
  for (let i = k; i >= 0 && term > sum * NEGLIGIBLE; i -= 1) {
    sum += term;
    term *= (i / (n - i + 1)) * ((1 - p) / p);
  }
  return Math.min(1, sum);
}

/**
 * The upper confidence bound of a proportion: the p for which `k` or fewer of `n` have the probability `tail` (Clopper and
 * Pearson 1934). It lies below the true proportion with at most the probability `tail`, for every n. Assumes independent
 * draws with one proportion.
 *
 * @returns 1 if n is 0
 */
export function upperBound(k: number, n: number, tail: number): number {
  if (k >= n) return 1;
  let [low, high] = [k / n, 1];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (binomialAtMost(k, n, middle) > tail) low = middle;
    else high = middle;
  }
  return high;
}

/** The lower confidence bound of a proportion; see `upperBound`. 0 if n is 0. */
export const lowerBound = (k: number, n: number, tail: number): number => 1 - upperBound(n - k, n, tail);

/** The two-sided interval of a proportion that misses it with at most the probability 1 − confidence. */
export const exactInterval = (
  k: number,
  n: number,
  confidence: number,
): readonly [low: number, high: number] => [
  lowerBound(k, n, (1 - confidence) / 2),
  upperBound(k, n, (1 - confidence) / 2),
];
