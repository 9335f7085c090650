import type { Random } from '../base/index.js';

/** A time between two arrivals of a Poisson process: exponential with this mean, so that none depends on earlier ones. */
export const arrivalGap = (mean: number, { number }: Random): number => -Math.log(1 - number()) * mean;

/** Arrival times of a Poisson process in milliseconds, ascending, from 0 to `seconds`. `rate`: requests per second. */
export function poissonArrivals(rate: number, seconds: number, random: Random): number[] {
  const times: number[] = [];
  for (let at = 0; ; ) {
    at += arrivalGap(1_000 / rate, random);
    if (at >= seconds * 1_000) return times;
    times.push(at);
  }
}
