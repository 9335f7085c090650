export { answer, answerJson } from './answers/index.js';
export { loadZstd } from './content/index.js';
export * from './decide.js';
export * from './plan/index.js';
export * from './prepare.js';
export * from './prepare-sent.js';
export type * from './types.js';
