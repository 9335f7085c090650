export type { AnsweredQuestion, Split } from './answered.js';
export { buildReport, type Prices } from './build-report.js';
export { BENCHMARKS, type BenchmarkName } from './cases/benchmarks.js';
export { type Cases, readCases } from './cases/read-cases.js';
export { compare } from './compare.js';
export { type Evaluated, evaluate } from './evaluate.js';
export { fitTemperatures, improved } from './fit/fit.js';
export { writeTemperatures } from './fit/write.js';
export { comparisonPage } from './html/comparison-page.js';
export { evaluationPage } from './html/evaluation-page.js';
export type * from './report.js';
export {
  largestFirst,
  modelsText,
  operatingPoint,
  percent,
  range,
  resampledText,
  signed,
  targetText,
} from './show.js';
export { readStored, type StoredOutcomes } from './stored.js';
export { ENGINE_CONCURRENCY, engineTarget } from './targets/engine.js';
export { serverTarget } from './targets/server.js';
export type { Target } from './targets/target.js';
export { bodyOf, type VariantOptions } from './variants.js';
