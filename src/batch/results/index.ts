export * from './read-results.js';
export * from './result-line.js';
