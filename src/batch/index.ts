export {
  type BatchParts,
  type BatchReports,
  type BatchTasks,
  ingestThread,
  type LineAnswer,
  type LineEngines,
  type TaskOfLine,
  type Webhooks,
} from './batch-dependencies.js';
export type { BatchFilter, NewestBatches } from './batch-filter.js';
export type { BatchInterface, Page, ResultStream } from './batch-interface.js';
export type { BatchTerms } from './batch-object.js';
export {
  Callbacks,
  type CallChange,
  type Called,
  type CalledBatches,
  isStateSeen,
  type WebhookState,
} from './callbacks.js';
export { CallerBatches } from './caller-batches.js';
export { Draft } from './draft.js';
export { type Idempotency, isSameFile } from './idempotency.js';
export { checkLines } from './ingest/check-batch-file.js';
export type { ChunkIds, LineTask } from './ingest/chunks.js';
export type { DigestResult } from './ingest/digest-file.js';
export type { FileTask } from './ingest/file-tasks.js';
export type { IngestResult, IngestTask } from './ingest/ingest.js';
export { FILE_ROOMS, type FileRoom, type SentFile, SMALL_FILE_BYTES } from './ingest/rooms.js';
export { type IngestSetup, YOUNG_MEBIBYTES } from './ingest/thread-setup.js';
export { TasksWanted, type WantedNames } from './ingest/wanted-tasks.js';
export {
  apply,
  DELETION_MS,
  DOUBT_MS,
  deleteAfter,
  isSubmissionOver,
  KEPT_COLLECTED_MS,
  KEPT_FINISHED_MS,
  KEPT_SUBMISSION_MS,
  settledAs,
} from './lifecycle/apply.js';
export {
  type Batch,
  type BatchEvent,
  changedBy,
  FINISHED,
  isFinished,
  mayStart,
  STARTABLE,
  TRANSITIONS,
} from './lifecycle/batch-transitions.js';
export { type LineAborts, linesOfLabels } from './line-aborts.js';
export { type ListAnswer, listAnswer } from './reading/list-answer.js';
export {
  type ChunkAnswer,
  type ChunkSource,
  type ChunkTask,
  chunkAnswer,
  openChunk,
} from './reading/open-chunk.js';
export {
  PIECE_BYTES,
  type ResultPlace,
  type ResultsAnswer,
  type ResultsTask,
  resultPieces,
  resultsPiece,
} from './reading/results-piece.js';
export {
  cannotStore,
  idempotencyConflict,
  mayBeCancelled,
  mayBeStored,
  tooManyBatches,
} from './refusals.js';
export type { BatchEnds, BatchProgress, BatchWork, LineResult } from './runner/batch-progress.js';
export { type LineTries, OpenBatch } from './runner/open-batch.js';
export { Runner } from './runner/runner.js';
export {
  type BatchKey,
  type BatchLine,
  openIds,
  openLines,
  openResult,
  openWebhook,
  type StoredChunk,
} from './sealed-values.js';
export { entryBytes, requireStoredRoom, type StoredBounds, storedBytesOf, storedOf } from './stored-bytes.js';
export { type BatchStore, checkIdempotencyKey, type Submission, Submitter } from './submit.js';
export { callWebhook } from './webhook/call-webhook.js';
export { checkWebhookAddress } from './webhook/guard.js';
export { systemGuard } from './webhook/system-guard.js';
export { WEBHOOK_REASONS, webhookReason } from './webhook/webhook-outcome.js';
