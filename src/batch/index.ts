export * from './batches.js';
export {
  Blocks,
  type CheckedChunk,
  type ChunkWork,
  checkChunks,
  checkLines,
  type DigestResult,
  type DigestTask,
  digestFile,
  type IngestResult,
  type IngestTask,
  ingest,
  type LineFault,
} from './ingest/index.js';
export { type ReadCall, readStored } from './reading/index.js';
export { checkIdempotencyKey } from './submissions.js';
export type { Submission } from './submit.js';
export * from './webhook/index.js';
