export { type AnswerCode, answerCode, CONFIDENCE_BOUNDS } from './drift/distribution.js';
export {
  type DriftAlarm,
  DriftMonitor,
  type DriftReport,
  type DriftState,
  FALSE_ALARM_ANSWERS,
  FALSE_ALARM_PROBABILITY,
  WINDOW_ANSWERS,
} from './drift/drift-monitor.js';
export { type ErrorTest, errorTest, errorTestFrom, evidenceOf, withLabel } from './errors/error-test.js';
export {
  type BootstrapOptions,
  type Clustered,
  type ClusterSums,
  clustersOf,
  estimateMean,
  estimateShare,
  groupKey,
  percentiles,
  resampled,
  wilson,
} from './metrics/bootstrap.js';
export { applyThreshold, thresholdOf } from './metrics/calibration.js';
export type * from './metrics/metrics-types.js';
export { accuracyDifferenceInterval, estimateDifference, meanDifferenceInterval } from './metrics/paired.js';
export { qualityOf } from './metrics/quality.js';
export { judge, MeasuredSample, type Scores } from './metrics/sample.js';
export {
  BRIER_MAX,
  chosen,
  confidenceOf,
  distanceOf,
  isCorrect,
  LOG_LOSS_MAX,
  logLossOf,
} from './metrics/score.js';
export {
  mergedShadow,
  NO_SHADOW_ANSWERS,
  type ShadowCounts,
  shadowCountsFrom,
  withPair,
  withPairLabel,
} from './shadow/shadow-counts.js';
export { type ShadowReport, shadowReportOf } from './shadow/shadow-report.js';
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
export { type Acceptance, isAccepted } from './threshold/acceptance.js';
export type { Target } from './threshold/certified-threshold.js';
export {
  fitQuestion,
  type LabelledAnswer,
  type QuestionFit,
  type TooFewLabels,
} from './threshold/fit-question.js';
export { keptProbabilities } from './threshold/kept-probabilities.js';
