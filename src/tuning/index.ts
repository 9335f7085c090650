export { type Measurer, processMeasurer } from './measurer.js';
export { compare, type Difference } from './numerics/compare-answers.js';
export { fixedPlans, PROMPTS } from './numerics/fixed-prompts.js';
export { DIFFERENCE_BOUND, judgeNumerics, type NumericsReport } from './numerics/judge-answers.js';
export { measureDevice, measureReference } from './numerics/measure-answers.js';
export { deviceNamed, leastSeconds, operations } from './roofline.js';
export { type Costs, waveTime } from './simulation/cost-model.js';
export {
  type Arrival,
  type SimulatedState,
  type Simulation,
  simulate,
  tokensOf,
  type WaveTime,
} from './simulation/simulate.js';
export { type TuneReport, tune } from './tune.js';
