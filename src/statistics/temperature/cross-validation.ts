import { random } from '../../base/index.js';
import { type BootstrapOptions, estimateMean } from '../metrics/bootstrap.js';
import type { Estimate } from '../metrics/metrics-types.js';
import { fitTemperature, lossAt, type Sample, TEMPERATURE_MAX, TEMPERATURE_MIN } from './temperature.js';

export const FOLDS = 5;
/** Of a temperature. */
const DIGITS = 4;

/** A temperature, and the losses on folds that were not used for fitting. */
interface CrossValidated {
  /** By sample, at the temperature that the other folds give. */
  readonly losses: readonly number[];
  /** Fitted on all folds. */
  readonly temperature: number;
  /** The best temperature is outside of `TEMPERATURE_MIN` to `TEMPERATURE_MAX`. */
  readonly atBound: boolean;
}

/** Mean log losses in nats, on folds that were not used for fitting. */
export interface LossChange {
  readonly before: number;
  readonly after: number;
  readonly change: Estimate;
  /** The interval of the change lies below 0: the temperatures are worth using. */
  readonly improves: boolean;
}

/** The loss of each sample at the temperature that the other folds give, and the temperature of all of them. */
export function crossValidate(samples: readonly Sample[], folds: Int32Array): CrossValidated {
  const losses = new Array<number>(samples.length);
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const temperature = fitTemperature(samples.filter((_, index) => folds[index] !== fold));
    for (const [index, sample] of samples.entries()) {
      if (folds[index] === fold) losses[index] = lossAt(sample, temperature);
    }
  }
  const temperature = fitTemperature(samples);
  const atBound = temperature <= TEMPERATURE_MIN || temperature >= TEMPERATURE_MAX;
  return { losses, temperature: Number(temperature.toPrecision(DIGITS)), atBound };
}

/**
 * How losses change, with an interval that resamples clusters.
 *
 * @param clusters by sample, at least one
 */
export function lossChangeOf(
  clusters: readonly number[],
  before: readonly number[],
  after: readonly number[],
  options: BootstrapOptions,
): LossChange {
  const values = clusters.map((cluster, index) => ({
    cluster,
    value: (after[index] as number) - (before[index] as number),
  }));
  const change = estimateMean(values, options) as Estimate;
  return { before: mean(before), after: mean(after), change, improves: change.ci[1] < 0 };
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

/**
 * The fold of each question, from 0. Questions of a cluster share a fold, and the folds are of about equal size: in random
 * order but the largest first, each cluster joins the smallest fold.
 */
export function foldsOf(clusters: readonly number[], seed: number): Int32Array {
  const sizes = new Map<number, number>();
  for (const cluster of clusters) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  const next = random(seed);
  const order = [...sizes]
    .map(([cluster, size]) => ({ cluster, size, lot: next.number() }))
    .sort((a, b) => b.size - a.size || a.lot - b.lot);
  const filled = new Array<number>(FOLDS).fill(0);
  const foldOf = new Map<number, number>();
  for (const { cluster, size } of order) {
    const smallest = filled.indexOf(Math.min(...filled));
    foldOf.set(cluster, smallest);
    filled[smallest]! += size;
  }
  return Int32Array.from(clusters, (cluster) => foldOf.get(cluster) as number);
}
