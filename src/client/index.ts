export { choice, noul, score } from './ask-builders.js';
export { BatchCalls, type SignalOptions, type SubmitOptions, type WaitOptions } from './batch-calls.js';
export type { BatchInput } from './batch-lines.js';
export {
  type ClientErrorType,
  DeciderError,
  type DeciderErrorType,
  type LabelCount,
  type LineError,
  type ServerErrorType,
} from './client-error.js';
export { type ClientRuntime, systemRuntime } from './client-runtime.js';
export * from './client-types.js';
export { type DecideOptions, Decider, type DeciderOptions } from './decider-client.js';
export { isTemporaryStatus } from './error-response.js';
export { type HttpCall, HttpCalls, type ResponseInfo } from './http-calls.js';
export { hasState, LabelRoom } from './label-pieces.js';
export { type LabelOptions, TaskCalls } from './task-calls.js';
export { usualTimeLimit } from './time-limit.js';
