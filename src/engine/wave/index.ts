export * from './run.js';
export * from './steps.js';
export * from './types.js';
