export * from './decide.js';
export * from './prepare.js';
export type * from './types.js';
