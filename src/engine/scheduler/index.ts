export * from './context-state.js';
export * from './embeddings.js';
export type * from './running.js';
export * from './scheduler.js';
export * from './wave-builder.js';
