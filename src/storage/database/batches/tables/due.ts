import type { Batch, BatchEvent } from '../../../../batch/index.js';
import { NOW_MS, SETTLED_MS } from '../../postgres/calendar-sql.js';
import { type Queryable, statement } from '../../postgres/statement.js';
import { type BatchRow, batchColumns, batchOf } from './batch-rows.js';
import { isChangedBy, keyWorksIn, MAY_START, UNFINISHED } from './conditions.js';

/** Batches that one call returns. The next call returns the others. */
const DUE_MAX = 256;
/** Webhooks of one key in one call, so that a key with many does not delay the others. */
const WEBHOOKS_PER_KEY_MAX = 8;

const ENDED = statement(
  'duty-ended',
  `SELECT b.id, CASE WHEN ${keyWorksIn('k')} THEN 'window_ended' ELSE 'key_ended' END AS event
   FROM batches b JOIN keys k ON k.id = b.key
   WHERE b.${UNFINISHED} AND (
     (b.${isChangedBy('window_ended')} AND b.expires <= ${SETTLED_MS})
     OR (b.${isChangedBy('key_ended')} AND NOT ${keyWorksIn('k')})
   ) LIMIT ${DUE_MAX}`,
);

// The counts select the running batches whose chunks are looked up.
const SETTLED = statement(
  'duty-settled',
  `SELECT b.id FROM batches b
   WHERE b.${UNFINISHED} AND CASE WHEN b.${MAY_START}
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

/** Batches whose window or key has ended, and the event that follows. */
export function endedBatches(
  sql: Queryable,
): Promise<
  Array<{ readonly id: string; readonly event: Extract<BatchEvent, 'window_ended' | 'key_ended'> }>
> {
  return sql.query(ENDED);
}

/** Unfinished batches of which no line is in progress and none will start. */
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
