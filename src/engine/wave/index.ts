export * from './decodes.js';
export * from './images.js';
export * from './prefix-key.js';
export * from './run.js';
export type * from './task.js';
export * from './types.js';
