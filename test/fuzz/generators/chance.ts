import type { Random } from '../../support/random.js';

/** True once in `times`. */
export const oneIn = (random: Random, times: number): boolean => random.integer(times) === 0;

/** A choice among makers, each as likely as its weight says. */
export function weighted<T>(
  random: Random,
  makers: readonly (readonly [weight: number, make: () => T])[],
): T {
  let at = random.integer(makers.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of makers) {
    at -= weight;
    if (at < 0) return make();
  }
  throw new Error('a choice among nothing');
}

/** A list of `count` that `make` made. */
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
