import { ApiError } from '../../api/index.js';
import { type Batch, type BatchEvent, type BatchState, isFinished, TRANSITIONS } from './transitions.js';

/** Why a line that never ran has no answer: what its result says. */
export type Unanswered = 'cancelled' | 'expired' | 'key_revoked';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Contract 3 `deletion`: after the first collection, and after the finish; whichever is earlier. */
export const KEPT_COLLECTED_MS = 7 * DAY_MS;
export const KEPT_FINISHED_MS = 14 * DAY_MS;

/** Why a batch failed that was in a state before. */
const REASONS: Partial<Record<BatchState, string>> = {
  expiring: 'expired',
  ending: 'key_revoked',
};
/** The reason of a batch all of whose lines were refused or given up. */
const NO_ANSWER = 'no_line_answered';

/**
 * The batch after an event at an instant; the same object where nothing changes.
 *
 * @throws ApiError `batch_finished` where a finished batch is to be cancelled
 */
export function apply(batch: Batch, event: BatchEvent, now: number): Batch {
  const next = TRANSITIONS[batch.state][event];
  if (next === 'stay') return batch;
  if (next === 'refuse')
    throw new ApiError('batch_finished', 'The batch has finished and cannot be cancelled.', { final: true });
  if (next === 'never') throw new Error(`a batch that is ${batch.state} cannot meet ${event}`);
  const changed: Batch = { ...batch, state: next };
  if (event === 'line_started') return { ...changed, started: now };
  // What expires may still be done, and nobody is told a reason before.
  if (!isFinished(changed)) return { ...changed, reason: next === 'ending' ? 'key_revoked' : null };
  return {
    ...changed,
    finished: now,
    // What was not answered has failed, whatever kept it (contract 2.6).
    failed: batch.lines - batch.done,
    // Neither one that expired with answers has failed, nor one that was cancelled.
    reason: next === 'failed' ? (REASONS[batch.state] ?? NO_ANSWER) : null,
    webhook: batch.webhook && { ...batch.webhook, due: now },
  };
}

/** What the lines of a finished batch read that have no result of their own. */
export function unansweredAs(batch: Batch): Unanswered {
  if (batch.state === 'cancelled') return 'cancelled';
  return batch.reason === 'key_revoked' ? 'key_revoked' : 'expired';
}

/** When a finished batch is deleted, in milliseconds since 1970; null before it has finished. */
export function deleteAfter({ finished, collected }: Batch): number | null {
  if (finished === null) return null;
  const collectedEnd = collected === null ? Number.POSITIVE_INFINITY : collected + KEPT_COLLECTED_MS;
  return Math.min(collectedEnd, finished + KEPT_FINISHED_MS);
}
