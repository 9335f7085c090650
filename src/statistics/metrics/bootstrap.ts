import { random } from '../../base/index.js';
import { Z } from '../numerics/quantiles.js';
import type { Estimate, Interval, Measured, ResampledUnit } from './metrics-types.js';

/** How intervals are computed. */
export interface BootstrapOptions {
  readonly seed: number;
  readonly resamples: number;
}

/** The tails of a 95 % interval. */
const LOW = 0.025;
const HIGH = 0.975;
/** Percentiles of fewer resampled groups are unreliable. */
export const GROUPS_MIN = 20;

/** Questions that are resampled together, because their errors are not independent. */
export interface Clusters {
  /** The cluster of each question, from 0. */
  readonly of: Int32Array;
  readonly count: number;
  readonly unit: ResampledUnit;
}

/** Clusters are groups, where a case without one is its own; with fewer than 20 of these, they are cases. */
export function clustersOf(questions: readonly Measured[]): Clusters {
  if (questions.some(({ group }) => group !== null)) {
    const groups = numbered(questions, groupKey);
    if (groups.count >= GROUPS_MIN) return { ...groups, unit: 'groups' };
  }
  return { ...numbered(questions, (question) => question.case), unit: 'cases' };
}

/** The group of a question, or its case if it has none. */
export const groupKey = ({ group, case: id }: Measured): string =>
  group === null ? `case ${id}` : `group ${group}`;

function numbered(questions: readonly Measured[], keyOf: (question: Measured) => string) {
  const numbers = new Map<string, number>();
  const of = Int32Array.from(questions, (question) => {
    const key = keyOf(question);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
  return { of, count: numbers.size };
}

/** How often each cluster was drawn, once per resample. The array is reused. */
export function* resampled(clusters: number, { seed, resamples }: BootstrapOptions): Generator<Int32Array> {
  const next = random(seed);
  const counts = new Int32Array(clusters);
  for (let resample = 0; resample < resamples; resample += 1) {
    counts.fill(0);
    for (let draw = 0; draw < clusters; draw += 1) counts[next.integer(clusters)]! += 1;
    yield counts;
  }
}

/** A value and the cluster it belongs to. */
export interface Clustered {
  readonly value: number;
  readonly cluster: number;
}

/** The number and the sum of the values of each cluster. */
export interface ClusterSums {
  readonly sizes: Float64Array;
  readonly sums: Float64Array;
}

export function clusterSums(values: readonly Clustered[]): ClusterSums {
  const numbers = new Map<number, number>();
  for (const { cluster } of values) if (!numbers.has(cluster)) numbers.set(cluster, numbers.size);
  const sums = new Float64Array(numbers.size);
  const sizes = new Float64Array(numbers.size);
  for (const { value, cluster } of values) {
    const number = numbers.get(cluster) as number;
    sums[number]! += value;
    sizes[number]! += 1;
  }
  return { sizes, sums };
}

/** The mean of values with its percentile interval, resampling clusters. Null if there are no values. */
export function estimateMean(values: readonly Clustered[], options: BootstrapOptions): Estimate | null {
  if (values.length === 0) return null;
  const { sizes, sums } = clusterSums(values);
  const means: number[] = [];
  for (const counts of resampled(sizes.length, options)) means.push(dot(counts, sums) / dot(counts, sizes));
  return { value: sum(sums) / values.length, ci: percentiles(means) };
}

/**
 * A share with its interval: that of `estimateMean`, or Wilson's if all values are 0, or all are 1, and all resamples alike.
 *
 * @param values 0 or 1 each
 */
export function estimateShare(values: readonly Clustered[], options: BootstrapOptions): Estimate | null {
  const found = estimateMean(values, options);
  if (found === null || (found.value !== 0 && found.value !== 1)) return found;
  const clusters = new Set(values.map(({ cluster }) => cluster)).size;
  return { value: found.value, ci: wilson(found.value * clusters, clusters) };
}

/** The 2.5 % and 97.5 % quantiles. */
export function percentiles(values: readonly number[]): Interval {
  const sorted = Float64Array.from(values).sort();
  return [quantile(sorted, LOW), quantile(sorted, HIGH)];
}

/** Linear interpolation between the order statistics (type 7 of Hyndman and Fan 1996). */
export function quantile(sorted: Float64Array, q: number): number {
  const at = (sorted.length - 1) * q;
  const below = Math.floor(at);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (at - below);
}

/** The score interval of a proportion (Wilson 1927), for proportions of 0 and 1, whose resamples are all alike. */
export function wilson(successes: number, n: number): Interval {
  const middle = (successes + Z ** 2 / 2) / (n + Z ** 2);
  const half = (Z / (n + Z ** 2)) * Math.sqrt((successes * (n - successes)) / n + Z ** 2 / 4);
  // Rounding could exclude an observed share of 0 or 1.
  return [successes === 0 ? 0 : Math.max(0, middle - half), successes === n ? 1 : Math.min(1, middle + half)];
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let total = 0;
  for (let index = 0; index < a.length; index += 1) total += (a[index] as number) * (b[index] as number);
  return total;
}

const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
