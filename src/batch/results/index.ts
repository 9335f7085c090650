export * from './result-line.js';
