export type {
  EngineChoice,
  Goal,
  Grid,
} from './choice/engine-choice.js';
export { type Measurer, processMeasurer } from './measurer.js';
export { compare, type Difference } from './numerics/compare-answers.js';
export { fixedPlans, PROMPTS } from './numerics/fixed-prompts.js';
export { judgeNumerics, type NumericsReport } from './numerics/judge-answers.js';
export { measureDevice, measureReference } from './numerics/measure-answers.js';
export { predictionError, scoreOfVerified } from './recommend.js';
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
export { type DecodeCase, decodeBatch } from './speed/time-decodes.js';
export { type MeasuredSpeed, type TuneReport, tune } from './tune.js';
export { tunePage } from './tune-page.js';
export { holdOpened } from './verification/hold-opened.js';
export { engineOpener } from './verification/open-engine.js';
export { writeEngine } from './write-engine.js';
