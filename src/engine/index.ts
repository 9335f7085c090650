export * from './addon/index.js';
export * from './check/index.js';
export * from './engine.js';
export * from './events.js';
export * from './models/index.js';
export * from './profile/index.js';
export { COUPLED_PRODUCT_MAX, EXACT, type Sharing, type Urgency } from './scheduler/index.js';
export * from './thread/index.js';
export {
  longestPrompt,
  type Plan,
  type PlanImage,
  type PlanLogits,
  planCells,
  prefixKey,
  type Suffix,
  type WaveBounds,
} from './wave/index.js';
