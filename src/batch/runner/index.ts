export { WINDOW_MS } from './deadline.js';
export { OpenBatch } from './open-batch.js';
export * from './runner.js';
