export { ABORTS_MAX, countAbort, type LineAborts, linesOfLabels } from './aborts.js';
export { batchObject, submitObject } from './batch-object.js';
export type { BatchStore } from './batch-store.js';
export * from './batches.js';
export { Callbacks } from './callbacks.js';
export { type CallChange, type CalledBatches, isStateSeen } from './called-batches.js';
export type { BatchDependencies, BatchReports, FileThread, LineEngines, Webhooks } from './dependencies.js';
export type { Draft, Idempotency } from './draft.js';
export { checkLines, type LineFault } from './ingest/check-file.js';
export type { DigestResult } from './ingest/digest-file.js';
export type { IngestResult, IngestTask } from './ingest/ingest.js';
export { FILE_ROOMS, type FileRoom, type SentFile, SMALL_FILE_BYTES } from './ingest/rooms.js';
export { type IngestSetup, type InRoom, type WithManifest, YOUNG_MEBIBYTES } from './ingest/thread-setup.js';
export type { BatchInterface, Page, ResultStream } from './interface.js';
export { apply, deleteAfter, KEPT_COLLECTED_MS, KEPT_FINISHED_MS, settledAs } from './lifecycle/apply.js';
export {
  type Batch,
  type BatchEvent,
  type BatchState,
  isFinished,
  mayStart,
  STATUS_OF,
} from './lifecycle/transitions.js';
export { listPieces } from './list-pieces.js';
export { type BatchFilter, type NewestBatches, newestBatches } from './newest.js';
export { type ListAnswer, listAnswer } from './reading/list-answer.js';
export { type ChunkAnswer, type ChunkSource, type ChunkTask, openChunk } from './reading/open-chunk.js';
export { resultPieces } from './reading/result-pieces.js';
export {
  PIECE_BYTES,
  type ResultPlace,
  type ResultsAnswer,
  type ResultsTask,
  resultsPiece,
} from './reading/results-piece.js';
export * from './refusals.js';
export { DOUBT_MS } from './retention.js';
export type { ChunkRange } from './runner/claimed-chunks.js';
export { OpenBatch } from './runner/open-batch.js';
export type { BatchEnds, Progress } from './runner/progress.js';
export { Runner } from './runner/runner.js';
export type { BatchWork, LineResult } from './runner/work.js';
export {
  type BatchKey,
  openIds,
  openResult,
  openWebhook,
  type StoredChunk,
  sealWebhook,
} from './sealed-values.js';
export { entryBytes } from './storage.js';
export { checkIdempotencyKey } from './submissions.js';
export { type Submission, Submitter } from './submit.js';
export { INGEST_THREAD, READING_THREAD } from './threads.js';
export { verifyBatches } from './verify/verify-batches.js';
export { callWebhook } from './webhook/call.js';
export { checkWebhookAddress, type WebhookGuard } from './webhook/guard.js';
export { WEBHOOK_REASONS, type WebhookOutcome, webhookReason } from './webhook/outcome.js';
export { systemGuard } from './webhook/system-guard.js';
