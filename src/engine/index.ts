export * from './addon/index.js';
export * from './ask-once.js';
export * from './engine.js';
export * from './models/index.js';
export * from './pool/index.js';
export * from './profile/index.js';
export type { Leaf, Plan, PlanLogits, WaveBounds } from './wave/index.js';
export { longestPrompt, planCells } from './wave/index.js';
