export { OpenBatch } from './open-batch.js';
export * from './runner.js';
