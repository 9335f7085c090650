export * from './builder.js';
export * from './context.js';
export * from './dispatcher.js';
export * from './embeddings.js';
export type * from './running.js';
