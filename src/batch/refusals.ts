import { ApiError, LIMITS } from '../api/index.js';

/** Contract 7.1 `too_many_batches`. */
const TOO_MANY_RETRY_SECONDS = 300;
const UNAVAILABLE_RETRY_SECONDS = 30;
const NO_ROOM_RETRY_SECONDS = 300;

/** The key has as many open batches as it may have. */
export const tooManyBatches = (): ApiError =>
  new ApiError(
    'too_many_batches',
    `The key already has ${LIMITS.batchesOpen} batches that are queued or running.`,
    { retryAfterSeconds: TOO_MANY_RETRY_SECONDS },
  );

/** A new batch could not be written. */
export const cannotStore = (): ApiError =>
  new ApiError('batch_unavailable', 'The server cannot store batches at the moment.', {
    retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
  });

/**
 * It is unknown whether the batch `id` was stored. Clients that repeat a 502 by themselves would have it billed twice, unless
 * the submission has an idempotency key (`isRepeatable`).
 */
export const mayBeStored = (id: string, isRepeatable: boolean): ApiError =>
  new ApiError(
    'outcome_unknown',
    `The database did not tell whether the batch ${id} was stored. Look for it in the list of batches before you submit the file again; with the X-Request-Id of this response, the operator finds the request in the log.`,
    { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS, final: !isRepeatable },
  );

/** It is unknown whether the cancel of the batch `id` was stored. */
export const mayBeCancelled = (id: string): ApiError =>
  new ApiError(
    'outcome_unknown',
    `The server cannot tell whether the cancel of the batch ${id} was stored. It is safe to cancel the batch again; with the X-Request-Id of this response, the operator finds the request in the log.`,
    { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS },
  );

/** The stored batches of all workspaces take what they may take. */
export const noRoom = (): ApiError =>
  new ApiError(
    'batch_unavailable',
    'The server has no room for more batches until stored ones are deleted.',
    { retryAfterSeconds: NO_ROOM_RETRY_SECONDS },
  );

/** The stored batches of a workspace take what they may take: `percent` % of the room of all. */
export const noRoomForWorkspace = (percent: number): ApiError =>
  new ApiError(
    'batch_unavailable',
    `The workspace has used its ${percent} % of the server's batch storage. Wait until some of its batches are deleted.`,
    { retryAfterSeconds: NO_ROOM_RETRY_SECONDS },
  );

/** The idempotency key was used with another file. */
export const idempotencyConflict = (): ApiError =>
  new ApiError('idempotency_conflict', 'The `Idempotency-Key` was already used with another file.', {
    final: true,
  });

export const batchNotFound = (): ApiError => new ApiError('batch_not_found', 'The key has no such batch.');

/** The results of a batch were requested too early. */
export const batchNotFinished = (): ApiError =>
  new ApiError('batch_not_finished', 'The batch has not finished.', { final: true });

/** The parameter `after` of a list. */
export const unknownAfter = (): ApiError =>
  new ApiError('invalid_request', '`after` must be the id of a batch of this key.');
