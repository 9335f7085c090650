/** The 97.5 % quantile of the normal distribution. */
export const Z = 1.959964;

/**
 * The 97.5 % quantile of Student's t distribution: exact for 1 and 2 degrees of freedom, otherwise the expansion of Abramowitz
 * and Stegun 1964, 26.7.5, within 0.2 %.
 *
 * @param freedom degrees of freedom, from 1
 */
export function studentQuantile(freedom: number): number {
  if (freedom === 1) return Math.tan(Math.PI * (PART - 0.5));
  if (freedom === 2) return (2 * PART - 1) * Math.sqrt(2 / (4 * PART * (1 - PART)));
  const terms = [
    Z,
    (Z ** 3 + Z) / 4,
    (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96,
    (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384,
    (79 * Z ** 9 + 776 * Z ** 7 + 1482 * Z ** 5 - 1920 * Z ** 3 - 945 * Z) / 92160,
  ];
  return terms.reduce((sum, term, power) => sum + term / freedom ** power, 0);
}

const PART = 0.975;
