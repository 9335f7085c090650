export * from './piece.js';
export * from './read-lines.js';
export type * from './read-list.js';
export * from './read-results.js';
export * from './reader.js';
export * from './tasks.js';
