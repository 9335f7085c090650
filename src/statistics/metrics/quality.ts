import { type BootstrapOptions, clustersOf, percentiles, resampled, wilson } from './bootstrap.js';
import { eceInterval, eceOf, operatingPoints, pointOfError, reliabilityOf, thin } from './calibration.js';
import type { Interval, Measured, Quality } from './metrics-types.js';
import { MeasuredSample, type Scores } from './sample.js';

/** Measures a set of answered questions, at least one. */
export function qualityOf(questions: readonly Measured[], options: BootstrapOptions): Quality {
  const clusters = clustersOf(questions);
  const sample = new MeasuredSample(questions, clusters);
  const draws: Scores[] = [];
  for (const counts of resampled(clusters.count, options)) draws.push(sample.draw(counts));
  const { accuracy, brier, log_loss, ece, gaps } = sample.scores;
  const points = operatingPoints(sample.sorted);
  return {
    n: questions.length,
    accuracy,
    brier,
    log_loss,
    ece,
    ci: {
      accuracy: accuracyInterval(accuracy, draws, clusters.count),
      brier: percentiles(draws.map((draw) => draw.brier)),
      log_loss: percentiles(draws.map((draw) => draw.log_loss)),
      ece: calibrationInterval(gaps, draws, clusters.count),
    },
    resampled: clusters.unit,
    reliability: reliabilityOf(sample.sorted, sample.bins),
    coverage: thin(points),
    at_5_percent_error: pointOfError(points),
  };
}

/** If there are no gaps, because all answers are right and certain, wrong ones may have been missed. */
function calibrationInterval(gaps: Float64Array, draws: readonly Scores[], clusters: number): Interval {
  if (eceOf(gaps) === 0) return wilson(0, clusters);
  return eceInterval(
    gaps,
    draws.map((draw) => draw.gaps),
  );
}

function accuracyInterval(accuracy: number, draws: readonly Scores[], clusters: number): Interval {
  if (accuracy === 0 || accuracy === 1) return wilson(accuracy * clusters, clusters);
  return percentiles(draws.map((draw) => draw.accuracy));
}
