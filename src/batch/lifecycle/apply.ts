import { ApiError, type BatchState } from '../../api/index.js';
import { DAY_MS } from '../../base/index.js';
import { type Batch, type BatchEvent, isFinished, TRANSITIONS } from './batch-transitions.js';

/** Why a line has no answer although nothing was wrong with it. Its result says so. */
export type Unanswered = 'cancelled' | 'expired' | 'key_revoked';

/** Kept after the first download, and after the finish; the earlier end applies (contract 3 `deletion`). */
export const KEPT_COLLECTED_MS = 7 * DAY_MS;
export const KEPT_FINISHED_MS = 14 * DAY_MS;
/** How long a submission counts for its idempotency key, in milliseconds (contract 4.6 rule 8). */
export const KEPT_SUBMISSION_MS = DAY_MS;
/** The pause between two deletion runs (contract 3 `deletion`). */
export const DELETION_MS = 10 * 60 * 1_000;
/**
 * After a jump of the calendar or an uncertain start, nothing is deleted for this long: time to correct the clock. A day
 * would be too long: a host that is switched off every night starts uncertain every morning, and must still delete.
 */
export const DOUBT_MS = 60 * 60 * 1_000;

/** The reason of a failed batch, by its state before. */
const REASONS: Partial<Record<BatchState, string>> = {
  expiring: 'expired',
  ending: 'key_revoked',
};
/** The reason of a batch with no answered line. */
const NO_ANSWER = 'no_line_answered';

/**
 * The batch after an event; the same object if nothing changes.
 *
 * @param now the instant of the event
 * @throws ApiError `batch_finished` if the event is a cancel that comes too late
 */
export function apply(before: Batch, event: BatchEvent, now: number): Batch {
  const batch = event === 'erase' ? erased(before) : before;
  const next = TRANSITIONS[batch.state][event];
  if (next === 'stay') return batch;
  if (next === 'refuse')
    throw new ApiError('batch_finished', 'The batch has finished and cannot be cancelled.', { final: true });
  if (next === 'never')
    throw new Error(`the event ${event} is impossible for a batch that is ${batch.state}`);
  const changed: Batch = { ...batch, state: next };
  if (event === 'line_started') return { ...changed, started: now };
  // A batch that is expiring may still end as done, so its reason is not shown yet.
  if (!isFinished(changed)) return { ...changed, reason: next === 'ending' ? 'key_revoked' : null };
  return {
    ...changed,
    finished: now,
    // Every line without an answer counts as failed, whatever the cause (contract 2.6).
    failed: batch.lines - batch.done,
    // A batch that expired with some answers is done, and a cancelled one has not failed either.
    reason: next === 'failed' ? (REASONS[batch.state] ?? NO_ANSWER) : null,
    webhook: batch.webhook && { ...batch.webhook, due: now },
  };
}

/** The batch without what only its owner needs. Its webhook is not called any more. */
const erased = (batch: Batch): Batch => (batch.deleted ? batch : { ...batch, deleted: true, webhook: null });

/** The event by which a batch finishes, when no line of it is in progress and none will start. */
export const settledAs = ({ done }: Batch): BatchEvent =>
  done > 0 ? 'settled_answered' : 'settled_unanswered';

/** What is reported for the lines of a finished batch that have no result of their own. */
export function unansweredAs(batch: Batch): Unanswered {
  if (batch.state === 'cancelled') return 'cancelled';
  return batch.reason === 'key_revoked' ? 'key_revoked' : 'expired';
}

/** When a batch may be deleted, in milliseconds since 1970; null if it has not finished. */
export function deleteAfter({ finished, collected }: Batch): number | null {
  if (finished === null) return null;
  const collectedEnd = collected === null ? Number.POSITIVE_INFINITY : collected + KEPT_COLLECTED_MS;
  return Math.min(collectedEnd, finished + KEPT_FINISHED_MS);
}

/** Whether a submission at `at` counts no more for its idempotency key. A database has the same in SQL: `submissionIsOver`. */
export const isSubmissionOver = (at: number, now: number): boolean => at <= now - KEPT_SUBMISSION_MS;
