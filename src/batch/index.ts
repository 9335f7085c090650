export { type LineAborts, linesOfLabels } from './aborts.js';
export type { BatchStore } from './batch-store.js';
export { Callbacks } from './callbacks.js';
export {
  type CallChange,
  type Called,
  type CalledBatches,
  isStateSeen,
  type WebhookState,
} from './called-batches.js';
export { CallerBatches } from './caller-batches.js';
export {
  type BatchParts,
  type BatchReports,
  INGEST_THREAD,
  type LineEngines,
  type Webhooks,
} from './dependencies.js';
export { Draft, type Idempotency } from './draft.js';
export { checkIdempotencyKey } from './idempotency.js';
export { checkLines, type LineFault } from './ingest/check-file.js';
export type { ChunkIds } from './ingest/chunks.js';
export type { DigestResult } from './ingest/digest-file.js';
export type { IngestResult, IngestTask } from './ingest/ingest.js';
export { FILE_ROOMS, type FileRoom, type SentFile, SMALL_FILE_BYTES } from './ingest/rooms.js';
export { type IngestSetup, YOUNG_MEBIBYTES } from './ingest/thread-setup.js';
export type { BatchInterface, Page, ResultStream } from './interface.js';
export {
  apply,
  DELETION_MS,
  DOUBT_MS,
  deleteAfter,
  KEPT_COLLECTED_MS,
  KEPT_FINISHED_MS,
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
} from './lifecycle/transitions.js';
export type { BatchFilter, NewestBatches } from './newest.js';
export { type ListAnswer, listAnswer } from './reading/list-answer.js';
export {
  type ChunkAnswer,
  type ChunkSource,
  type ChunkTask,
  chunkAnswer,
  openChunk,
} from './reading/open-chunk.js';
export { resultPieces } from './reading/result-pieces.js';
export {
  PIECE_BYTES,
  type ResultPlace,
  type ResultsAnswer,
  type ResultsTask,
  resultsPiece,
} from './reading/results-piece.js';
export {
  cannotStore,
  idempotencyConflict,
  mayBeCancelled,
  mayBeStored,
  noRoom,
  noRoomForWorkspace,
  tooManyBatches,
} from './refusals.js';
export { OpenBatch } from './runner/open-batch.js';
export type { BatchEnds, Progress } from './runner/progress.js';
export { Runner } from './runner/runner.js';
export type { BatchWork, LineResult } from './runner/work.js';
export {
  type BatchKey,
  type BatchLine,
  openIds,
  openLines,
  openResult,
  openWebhook,
  type StoredChunk,
} from './sealed-values.js';
export { entryBytes } from './stored-length.js';
export { type Submission, Submitter } from './submit.js';
export { callWebhook } from './webhook/call.js';
export { checkWebhookAddress } from './webhook/guard.js';
export { WEBHOOK_REASONS, webhookReason } from './webhook/outcome.js';
export { systemGuard } from './webhook/system-guard.js';
