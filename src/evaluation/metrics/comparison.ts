import {
  accuracyDifferenceInterval,
  type BootstrapOptions,
  BRIER_MAX,
  type ClusterSums,
  chosen,
  clustersOf,
  type Interval,
  LOG_LOSS_MAX,
  MeasuredSample,
  meanDifferenceInterval,
  percentiles,
  resampled,
  type Scores,
} from '../../statistics/index.js';
import type { AnsweredQuestion } from '../answered.js';
import type { Comparison, Difference } from '../report.js';

/** Two answers to one question. */
export type Pair = readonly [a: AnsweredQuestion, b: AnsweredQuestion];

type Metric = 'accuracy' | 'brier' | 'log_loss';

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
  const difference = (metric: Metric | 'ece', ci: Interval | null): Difference => ({
    a: a.scores[metric],
    b: b.scores[metric],
    difference: b.scores[metric] - a.scores[metric],
    ci,
  });
  const withInterval = (metric: Metric, ofFew: (differences: ClusterSums) => Interval | null) => {
    const sums = b.sums[metric].map((sum, cluster) => sum - (a.sums[metric][cluster] as number));
    const ci = ofFew({ sizes: a.sizes, sums }) ?? percentiles(draws.map(([x, y]) => y[metric] - x[metric]));
    return difference(metric, ci);
  };
  const moved = pairs.flatMap(([x, y]) =>
    x.probabilities.map((p, index) => Math.abs(p - (y.probabilities[index] as number))),
  );
  const changed = pairs.filter(([x, y]) => chosen(x.probabilities) !== chosen(y.probabilities));
  return {
    n: pairs.length,
    resampled: clusters.unit,
    accuracy: withInterval('accuracy', accuracyDifferenceInterval),
    brier: withInterval('brier', (differences) => meanDifferenceInterval(differences, BRIER_MAX)),
    log_loss: withInterval('log_loss', (differences) => meanDifferenceInterval(differences, LOG_LOSS_MAX)),
    // Noise increases the ECE, more so that of the better calibrated run: percentiles would miss the true difference.
    ece: difference('ece', null),
    changed: changed.length / pairs.length,
    largest: moved.reduce((most, each) => Math.max(most, each), 0),
    mean: moved.reduce((total, each) => total + each, 0) / moved.length,
  };
}
