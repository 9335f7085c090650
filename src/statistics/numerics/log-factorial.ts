/** Below this, ln n! is summed; from it on, the series is exact to the last digit of a double. */
const SERIES_FROM = 16;

const SMALL = [0];
for (let n = 1; n < SERIES_FROM; n += 1) SMALL.push((SMALL[n - 1] as number) + Math.log(n));

/**
 * ln n!, by Stirling's series (Abramowitz and Stegun 1964, 6.1.41). The relative error is that of a double, so that the
 * absolute error for n = 100,000 is about 10⁻¹⁰.
 *
 * @param n a whole number from 0
 */
export function logFactorial(n: number): number {
  if (n < SERIES_FROM) return SMALL[n] as number;
  const inverse = 1 / n;
  const square = inverse * inverse;
  const series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)));
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series;
}

/** The logarithm of the binomial coefficient. 0 ≤ k ≤ n. */
export const logChoose = (n: number, k: number): number =>
  logFactorial(n) - logFactorial(k) - logFactorial(n - k);
