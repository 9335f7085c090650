import type { Random } from '../base/index.js';

/**
 * Arrival times of a Poisson process in milliseconds, ascending, from 0 to `seconds`. The gaps are exponential with mean
 * 1 / `rate` (requests per second), so that an arrival does not depend on earlier ones.
 */
export function poissonArrivals(rate: number, seconds: number, random: Random): number[] {
  const times: number[] = [];
  for (let at = 0; ; ) {
    at -= (Math.log(1 - random.number()) / rate) * 1_000;
    if (at >= seconds * 1_000) return times;
    times.push(at);
  }
}
