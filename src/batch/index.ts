export * from './batches.js';
export { type IngestResult, type IngestTask, ingest } from './ingest/index.js';
export { checkIdempotencyKey } from './submissions.js';
export type { Submission } from './submit.js';
export * from './webhook/index.js';
