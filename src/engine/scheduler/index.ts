export * from './context-state.js';
export * from './embeddings.js';
export * from './scheduler.js';
export * from './step.js';
export type * from './types.js';
export * from './wave-builder.js';
