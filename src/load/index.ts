export { arrivalGap, poissonArrivals } from './arrivals.js';
export { watchClient } from './client-use.js';
export { findRate, SEARCH_PRECISION, SEARCH_STEPS_MAX } from './find.js';
export { HttpTarget } from './http-target.js';
export { Latencies } from './latencies.js';
export { loadPage } from './load-page.js';
export { probeServer, takesLongRequests } from './load-probe.js';
export { OUTSTANDING_MAX, Step } from './load-step.js';
export { type LatencyTarget, readTarget, secondsFor } from './load-target.js';
export type { LoadRequest, Outcome, RequestSource, Send } from './load-types.js';
export { NOT_SENT, Recorder, TIMEOUT } from './recorder.js';
export type { LoadResult, StepResult } from './result.js';
export {
  ARRIVALS_MAX,
  type LoadDependencies,
  type LoadPlan,
  RATE_MAX,
  runRates,
  runSearch,
  stepSeconds,
} from './run-load.js';
export { generatedRequests, givenRequests, rewritten, SHAPES, type Shape } from './shapes.js';
export { byRate, foundText, mainStep, notes, showMs, showRate } from './summary.js';
export { sentences } from './texts.js';
