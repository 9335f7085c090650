export * from './addon/index.js';
export * from './check/index.js';
export { COUPLED_PRODUCT_MAX, EXACT, type Sharing, type Urgency } from './dispatcher/index.js';
export * from './engine.js';
export * from './events.js';
export * from './models/index.js';
export * from './profile/index.js';
export * from './thread/index.js';
export {
  type Leaf,
  longestPrompt,
  type Plan,
  type PlanImage,
  type PlanLogits,
  planCells,
  prefixKey,
  type WaveBounds,
} from './wave/index.js';
