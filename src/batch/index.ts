export * from './batches.js';
export {
  Blocks,
  checkLines,
  type IngestResult,
  type IngestTask,
  ingest,
  type LineFault,
} from './ingest/index.js';
export { checkIdempotencyKey } from './submissions.js';
export type { Submission } from './submit.js';
export * from './webhook/index.js';
