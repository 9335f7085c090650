import {
  type BootstrapOptions,
  chosen,
  clustersOf,
  MeasuredSample,
  percentiles,
  resampled,
  type Scores,
} from '../../statistics/index.js';
import type { AnsweredQuestion } from '../answered.js';
import type { Comparison, Difference } from '../report.js';

/** Two answers to one question. */
export type Pair = readonly [a: AnsweredQuestion, b: AnsweredQuestion];

/** Compares the answers to at least one question. */
export function comparisonOf(pairs: readonly Pair[], options: BootstrapOptions): Comparison {
  const clusters = clustersOf(pairs.map(([a]) => a));
  const a = new MeasuredSample(
    pairs.map(([question]) => question),
    clusters,
  );
  const b = new MeasuredSample(
    pairs.map(([, question]) => question),
    clusters,
  );
  const draws: Array<readonly [Scores, Scores]> = [];
  for (const counts of resampled(clusters.count, options)) draws.push([a.draw(counts), b.draw(counts)]);
  const difference = (metric: 'accuracy' | 'brier' | 'log_loss' | 'ece'): Difference => ({
    a: a.scores[metric],
    b: b.scores[metric],
    difference: b.scores[metric] - a.scores[metric],
    // Noise increases the ECE, more so that of the better calibrated run: percentiles would miss the true difference.
    ci: metric === 'ece' ? null : percentiles(draws.map(([x, y]) => y[metric] - x[metric])),
  });
  const moved = pairs.flatMap(([x, y]) =>
    x.probabilities.map((p, index) => Math.abs(p - (y.probabilities[index] as number))),
  );
  const changed = pairs.filter(([x, y]) => chosen(x.probabilities) !== chosen(y.probabilities));
  return {
    n: pairs.length,
    resampled: clusters.unit,
    accuracy: difference('accuracy'),
    brier: difference('brier'),
    log_loss: difference('log_loss'),
    ece: difference('ece'),
    changed: changed.length / pairs.length,
    largest: moved.reduce((most, each) => Math.max(most, each), 0),
    mean: moved.reduce((total, each) => total + each, 0) / moved.length,
  };
}
