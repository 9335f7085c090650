export {
  type BootstrapOptions,
  type Clustered,
  clustersOf,
  estimateMean,
  groupKey,
  percentiles,
  resampled,
  wilson,
} from './metrics/bootstrap.js';
export { applyThreshold, thresholdOf } from './metrics/calibration.js';
export type { Measured } from './metrics/measured.js';
export type * from './metrics/metrics-types.js';
export { qualityOf } from './metrics/quality.js';
export { judge, MeasuredSample, type Scores } from './metrics/sample.js';
export { chosen, confidenceOf, distanceOf, isCorrect, logLossOf } from './metrics/score.js';
export {
  crossValidate,
  FOLDS,
  foldsOf,
  type LossChange,
  lossChangeOf,
} from './temperature/cross-validation.js';
export {
  fitTemperature,
  lossAt,
  type Sample,
  sampleOf,
  TEMPERATURE_MAX,
  TEMPERATURE_MIN,
} from './temperature/temperature.js';
