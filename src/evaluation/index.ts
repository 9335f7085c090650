export type { AnsweredQuestion, Split } from './answered.js';
export type { Calibrations } from './archive-header.js';
export { buildReport, type Prices } from './build-report.js';
export { BENCHMARKS, type BenchmarkName } from './cases/benchmarks.js';
export { type Cases, readCases } from './cases/read-cases.js';
export { compare } from './compare-evaluations.js';
export { type Evaluated, evaluate } from './evaluate.js';
export { fitTemperatures, improved } from './fit/fit.js';
export { temperaturesInForce } from './fit/in-force.js';
export { writeTemperatures } from './fit/write.js';
export { comparisonPage } from './html/comparison-page.js';
export { evaluationPage } from './html/evaluation-page.js';
export { batchLine } from './line-of-case.js';
export { mixedTemperatures } from './mixed-temperatures.js';
export { readStored, type StoredOutcomes } from './outcomes.js';
export type * from './report.js';
export {
  IGNORED_ROTATIONS,
  isIgnored,
  largestFirst,
  modelsText,
  operatingPoint,
  percent,
  range,
  resampledText,
  shortened,
  signed,
  targetText,
  tokensText,
} from './show-evaluation.js';
export { ENGINE_CONCURRENCY, engineTarget } from './targets/engine-target.js';
export { serverTarget } from './targets/server-target.js';
export type { Target } from './targets/target.js';
export { bodyOf, type VariantOptions } from './variants.js';
export { type WrongAnswer, wrongAnswers } from './wrong-answers.js';
