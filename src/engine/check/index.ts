export * from './check-model.js';
export { FIRST_QUESTION } from './first-plans.js';
export type { CheckTask, ModelFacts } from './messages.js';
