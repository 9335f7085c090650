export type { BatchLine } from './batch-line.js';
export { OpenBatch } from './open-batch.js';
export * from './runner.js';
