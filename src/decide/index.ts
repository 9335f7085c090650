export { answer, answerJson } from './answers/index.js';
export * from './decide.js';
export * from './plan/index.js';
export * from './prepare.js';
export type * from './types.js';
