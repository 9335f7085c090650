export * from './choose.js';
export * from './count-memory.js';
export * from './devices.js';
export * from './load.js';
export type * from './types.js';
