import { DAY_MS } from '../../../base/index.js';
import { type Batch, type BatchEvent, KEPT_COLLECTED_MS, KEPT_FINISHED_MS } from '../../../batch/index.js';
import { NOW_MS, type Queryable, statement, type Transaction } from '../../../postgres/index.js';
import { lockBatch, putBatch } from './batches.js';
import { type BatchRow, batchColumns, batchOf } from './rows.js';

/** Batches of one call. What is left is found by the next one. */
const DUE_MAX = 256;
/** Webhooks of one key in one call, so that a key with many does not delay the others. */
const WEBHOOKS_PER_KEY_MAX = 8;
/** Rows that one statement removes. */
const REMOVED_MAX = 1_000;
/** A key keeps its place in the order of turns for this long without an open batch. */
const TURN_KEPT_MS = 60 * 60 * 1_000;

const UNFINISHED = `state NOT IN ('done', 'failed', 'cancelled')`;

const ENDED = statement(
  'duty-ended',
  `SELECT b.id, CASE WHEN k.revoked IS NOT NULL OR k.expires < ${NOW_MS} THEN 'key_ended' ELSE 'window_ended' END AS event
   FROM batches b JOIN keys k ON k.id = b.key
   WHERE b.${UNFINISHED} AND (
     (b.state IN ('queued', 'running') AND b.expires <= ${NOW_MS})
     OR (b.state IN ('queued', 'running', 'expiring') AND (k.revoked IS NOT NULL OR k.expires < ${NOW_MS}))
   ) LIMIT ${DUE_MAX}`,
);

// The counts say which running batches are worth a look at their chunks.
const SETTLED = statement(
  'duty-settled',
  `SELECT b.id FROM batches b
   WHERE b.${UNFINISHED} AND CASE WHEN b.state IN ('queued', 'running')
     THEN b.done + b.failed = b.lines
       AND NOT EXISTS (SELECT 1 FROM batch_chunks c WHERE c.batch = b.id AND c.open)
     ELSE NOT EXISTS (SELECT 1 FROM batch_chunks c WHERE c.batch = b.id AND c.node IS NOT NULL) END
   LIMIT ${DUE_MAX}`,
);

const WEBHOOKS = statement(
  'duty-webhooks',
  `SELECT ${batchColumns('due')} FROM (
     SELECT *, row_number() OVER (PARTITION BY key ORDER BY webhook_due) AS place
     FROM batches WHERE webhook_due IS NOT NULL AND webhook_due <= ${NOW_MS} AND NOT deleted
   ) AS due WHERE due.place <= ${WEBHOOKS_PER_KEY_MAX} ORDER BY due.webhook_due LIMIT ${DUE_MAX}`,
);

const DUE_WEBHOOK = statement(
  'batch-due-webhook',
  `SELECT ${batchColumns()} FROM batches WHERE id = $1 AND webhook_due <= ${NOW_MS} AND NOT deleted`,
);

const COLLECTED = statement(
  'batch-collected',
  `UPDATE batches SET collected = ${NOW_MS} WHERE id = $1 AND collected IS NULL AND NOT deleted`,
);

const DELETABLE = statement(
  'duty-deletable',
  `SELECT id FROM batches
   WHERE finished IS NOT NULL AND (
     deleted OR finished <= ${NOW_MS} - ${KEPT_FINISHED_MS} OR collected <= ${NOW_MS} - ${KEPT_COLLECTED_MS}
   ) ORDER BY finished LIMIT ${DUE_MAX}`,
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

// The age is compared again, because an idempotency key may be used anew meanwhile.
const FORGET_SUBMISSIONS = statement(
  'duty-submissions',
  `DELETE FROM submissions WHERE (key, digest) IN (
     SELECT key, digest FROM submissions WHERE at <= ${NOW_MS} - ${DAY_MS} LIMIT ${REMOVED_MAX}
   ) AND at <= ${NOW_MS} - ${DAY_MS}`,
);

const FORGET_TURNS = statement(
  'duty-turns',
  `DELETE FROM batch_turns t WHERE t.turn < (${NOW_MS} - ${TURN_KEPT_MS}) * 1000
     AND NOT EXISTS (SELECT 1 FROM batches b WHERE b.key = t.key AND b.${UNFINISHED})`,
);

/** Batches whose window or key has ended, and the event that follows. */
export function endedBatches(
  sql: Queryable,
): Promise<
  Array<{ readonly id: string; readonly event: Extract<BatchEvent, 'window_ended' | 'key_ended'> }>
> {
  return sql.query(ENDED);
}

/** Unfinished batches of which no line runs and none will. */
export async function settledBatches(sql: Queryable): Promise<string[]> {
  return (await sql.query<{ id: string }>(SETTLED)).map(({ id }) => id);
}

/** Finished batches whose webhook is due. */
export async function dueWebhooks(sql: Queryable): Promise<Batch[]> {
  return (await sql.query<BatchRow>(WEBHOOKS)).map(batchOf);
}

/** A finished batch whose webhook is still due; undefined if it is not, or the batch is gone. */
export async function findDueWebhook(sql: Queryable, id: string): Promise<Batch | undefined> {
  const [row] = await sql.query<BatchRow>(DUE_WEBHOOK, [id]);
  return row && batchOf(row);
}

/** Records that the results of a batch were collected, the first time. */
export async function putCollected(sql: Queryable, id: string): Promise<void> {
  await sql.execute(COLLECTED, [id]);
}

/** Batches that must be deleted. */
export async function deletableBatches(sql: Queryable): Promise<string[]> {
  return (await sql.query<{ id: string }>(DELETABLE)).map(({ id }) => id);
}

/** Deletes the data key of a batch, without which nothing of it can be read, and marks it as deleted. */
export async function markDeleted(sql: Transaction, id: string): Promise<Batch | undefined> {
  const { batch } = (await lockBatch(sql, id)) ?? {};
  if (batch === undefined) return undefined;
  if (!batch.deleted) await putBatch(sql, { ...batch, deleted: true });
  await sql.execute(DELETE_KEY, [id]);
  await sql.execute(DELETE_WEBHOOK, [id]);
  return batch;
}

/** Removes what is left of a deleted batch, in steps that each lock few rows. The batch itself goes last. */
export async function removeBatch(sql: Queryable, { id, lines }: Batch): Promise<void> {
  for (let at = 0; at < lines; at += REMOVED_MAX)
    await sql.execute(DELETE_RESULTS, [id, at, at + REMOVED_MAX]);
  await sql.execute(DELETE_IDS, [id]);
  // An abort may have been counted while the batch finished.
  await sql.execute(DELETE_ABORTS, [id]);
  await sql.execute(DELETE_BATCH, [id]);
}

/** Removes idempotency keys that are older than a day. */
export async function forgetSubmissions(sql: Queryable): Promise<void> {
  while ((await sql.execute(FORGET_SUBMISSIONS)) === REMOVED_MAX);
}

/** Removes the turns of keys without open batches. */
export async function forgetTurns(sql: Queryable): Promise<void> {
  await sql.execute(FORGET_TURNS);
}
