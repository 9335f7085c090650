import { apply, type Batch, type BatchEvent } from '../../../../batch/index.js';
import type { Transaction } from '../../postgres/database.js';
import { lockBatch, putBatch } from './batch-table.js';
import { deleteSecrets } from './deletion.js';
import { removeSubmissionOf } from './submissions.js';
import { finishLocked } from './work.js';

/**
 * Applies an event to a stored batch, and finishes the batch if no node runs a line of it. Returns the batch as it is then;
 * undefined if there is none. `changed` is called if the event changes the batch. Rejects with ApiError `batch_finished` if the
 * event is a cancel that comes too late.
 */
export async function applyEvent(
  sql: Transaction,
  id: string,
  event: Extract<BatchEvent, 'cancel' | 'window_ended' | 'key_ended'>,
  changed: (batch: Batch) => Promise<void> = async () => {},
): Promise<Batch | undefined> {
  const locked = await lockBatch(sql, id);
  if (locked === undefined || locked.batch.deleted) return undefined;
  const { batch, now } = locked;
  const next = apply(batch, event, now);
  if (next !== batch) {
    await putBatch(sql, next);
    await changed(next);
  }
  return finishLocked(sql, next, now);
}

/**
 * Erases a batch: its data key and its webhook are deleted, and its owner no longer finds it. If no node runs a line of it, it
 * has finished; the maintenance removes the rest.
 */
export async function eraseBatch(sql: Transaction, id: string): Promise<void> {
  const locked = await lockBatch(sql, id);
  if (locked === undefined) return;
  const { batch, now } = locked;
  const next = apply(batch, 'erase', now);
  if (next !== batch) await putBatch(sql, next);
  await deleteSecrets(sql, id);
  await removeSubmissionOf(sql, batch);
  await finishLocked(sql, next, now);
}
