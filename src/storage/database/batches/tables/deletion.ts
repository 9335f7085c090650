import { type Batch, DOUBT_MS, KEPT_COLLECTED_MS, KEPT_FINISHED_MS } from '../../../../batch/index.js';
import { CERTAIN_MS, NOW_MS, SESSION_MS } from '../../postgres/calendar-sql.js';
import type { Database, Transaction } from '../../postgres/database.js';
import { REMOVED_MAX, removeInParts } from '../../postgres/remove-in-parts.js';
import { guarded } from '../../postgres/schema/format.js';
import { type Queryable, statement } from '../../postgres/statement.js';
import { lockBatch, putBatch } from './batch-table.js';
import { submissionIsOver, UNFINISHED } from './conditions.js';

/** Batches that one call returns. The next call returns the others. */
const DELETABLE_MAX = 256;
/** A key keeps its turn for this many milliseconds after its last claim, if it has no unfinished batch. */
const TURN_KEPT_MS = 60 * 60 * 1_000;

/** The time as a query of its own, so that an index is used, in SQL. */
const NOW = `(SELECT ${NOW_MS})`;
/** Whether what is old may be deleted, in SQL. */
const MAY_DELETE = `${CERTAIN_MS} >= ${DOUBT_MS}`;

const DELETABLE = statement(
  'duty-deletable',
  `SELECT id FROM batches
   WHERE finished IS NOT NULL AND (
     deleted OR (
       ${MAY_DELETE} AND (finished <= ${NOW_MS} - ${KEPT_FINISHED_MS} OR collected <= ${NOW_MS} - ${KEPT_COLLECTED_MS})
     )
   ) ORDER BY finished LIMIT ${DELETABLE_MAX}`,
);

const DELETE_KEY = statement('batch-data-key-delete', 'DELETE FROM data_keys WHERE owner = $1');
const DELETE_WEBHOOK = statement('batch-webhook-delete', 'DELETE FROM batch_webhooks WHERE batch = $1');
const DELETE_RESULTS = statement(
  'batch-results-delete',
  'DELETE FROM batch_results WHERE batch = $1 AND line >= $2 AND line < $3',
);
const DELETE_IDS = statement('batch-ids-delete', 'DELETE FROM batch_ids WHERE batch = $1');
const DELETE_ABORTS = statement('batch-aborts-delete', 'DELETE FROM batch_aborts WHERE batch = $1');
const DELETE_BATCH = statement('batch-delete', 'DELETE FROM batches WHERE id = $1');

// The age is compared again, because an idempotency key may have been used again meanwhile.
const STALE_SUBMISSIONS = statement(
  'duty-submissions',
  `DELETE FROM submissions WHERE (key, digest) IN (
     SELECT key, digest FROM submissions WHERE ${submissionIsOver(NOW)} AND ${MAY_DELETE} LIMIT ${REMOVED_MAX}
   ) AND ${MAY_DELETE} AND ${submissionIsOver(NOW)}`,
);

const STALE_TURNS = statement(
  'duty-turns',
  `DELETE FROM batch_turns t WHERE t.turn < (${SESSION_MS} - ${TURN_KEPT_MS}) * 1000
     AND NOT EXISTS (SELECT 1 FROM batches b WHERE b.key = t.key AND b.${UNFINISHED})`,
);

/** The ids of batches that must be deleted. */
export async function deletableBatches(sql: Queryable): Promise<string[]> {
  return (await sql.query<{ id: string }>(DELETABLE)).map(({ id }) => id);
}

/**
 * Deletes a batch. Its data key goes first: without it, nothing of the batch can be decrypted. (PostgreSQL may still have the
 * row in its files, its WAL and its archives, encrypted with the master key.) A deletion that is interrupted is found again,
 * because the row of the batch goes last.
 */
export async function deleteBatch(database: Database, id: string): Promise<void> {
  const batch = await guarded(database, (transaction) => markDeleted(transaction, id));
  if (batch !== undefined) await removeBatch(database, batch);
}

/** Deletes data key and webhook of a batch, and marks it as deleted. Undefined if there is no such batch. */
export async function markDeleted(sql: Transaction, id: string): Promise<Batch | undefined> {
  const { batch } = (await lockBatch(sql, id)) ?? {};
  if (batch === undefined) return undefined;
  if (!batch.deleted) await putBatch(sql, { ...batch, deleted: true });
  await deleteSecrets(sql, id);
  return batch;
}

/** Deletes the data key of a batch, without which nothing of it can be read, and its webhook address. */
export async function deleteSecrets(sql: Transaction, id: string): Promise<void> {
  await sql.execute(DELETE_KEY, [id]);
  await sql.execute(DELETE_WEBHOOK, [id]);
}

/** Removes the rest of a deleted batch, in steps that each lock few rows. */
async function removeBatch(sql: Queryable, { id, lines }: Batch): Promise<void> {
  for (let at = 0; at < lines; at += REMOVED_MAX)
    await sql.execute(DELETE_RESULTS, [id, at, at + REMOVED_MAX]);
  await sql.execute(DELETE_IDS, [id]);
  // An abort may have been counted while the batch finished.
  await sql.execute(DELETE_ABORTS, [id]);
  await sql.execute(DELETE_BATCH, [id]);
}

/**
 * Removes submissions that are over, and the turns of keys without unfinished batches. Once `signal` aborts, it resolves
 * after the statement in progress.
 */
export async function removeStale(sql: Queryable, signal: AbortSignal): Promise<void> {
  await removeInParts(sql, STALE_SUBMISSIONS, [], signal);
  if (!signal.aborted) await sql.execute(STALE_TURNS);
}
