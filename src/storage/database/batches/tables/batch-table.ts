import type { Batch } from '../../../../batch/index.js';
import { NOW_MS } from '../../postgres/calendar-sql.js';
import type { Transaction } from '../../postgres/database.js';
import { type Queryable, statement } from '../../postgres/statement.js';
import { BATCH_COLUMNS, type BatchRow, batchColumns, batchOf, batchValues } from './batch-rows.js';

/** A batch whose row is locked until the transaction ends, and the database's time, in milliseconds since 1970. */
export interface LockedBatch {
  readonly batch: Batch;
  readonly now: number;
}

const FIND = statement('batch-find', `SELECT ${batchColumns()} FROM batches WHERE id = $1`);

const FIND_ALL = statement(
  'batches-find',
  `SELECT ${batchColumns()} FROM batches WHERE id = ANY($1::text[])`,
);

const LOCK = statement(
  'batch-lock',
  `SELECT ${batchColumns()}, ${NOW_MS} AS now FROM batches WHERE id = $1 FOR UPDATE`,
);

const INSERT = statement(
  'batch-insert',
  `INSERT INTO batches (${BATCH_COLUMNS.join(', ')}) VALUES (${BATCH_COLUMNS.map((_, at) => `$${at + 1}`).join(', ')})`,
);

/** The columns that events change. Counts are not among them: several nodes add to them. */
const PUT = statement(
  'batch-put',
  `UPDATE batches SET state = $2, started = $3, finished = $4, collected = $5, reason = $6, failed = $7,
     webhook_attempts = $8, webhook_due = $9, webhook_outcome = $10, deleted = $11
   WHERE id = $1`,
);

const LIST = statement(
  'batch-list',
  `SELECT ${batchColumns()} FROM batches
   WHERE key = $1 AND number >= $2 AND NOT deleted ORDER BY number LIMIT $3`,
);

/** The stored batch; undefined if there is none. Deleted batches are returned too, until their rows are gone. */
export async function findBatch(sql: Queryable, id: string): Promise<Batch | undefined> {
  const [row] = await sql.query<BatchRow>(FIND, [id]);
  return row && batchOf(row);
}

/** The stored batches of these ids, in no particular order. */
export async function findBatches(sql: Queryable, ids: readonly string[]): Promise<Batch[]> {
  return (await sql.query<BatchRow>(FIND_ALL, [ids])).map(batchOf);
}

/** Locks the row of a batch: its state and its counts cannot change until the transaction ends. */
export async function lockBatch(sql: Transaction, id: string): Promise<LockedBatch | undefined> {
  const [row] = await sql.query<BatchRow & { now: number }>(LOCK, [id]);
  return row && { batch: batchOf(row), now: row.now };
}

/** Stores a new batch. */
export async function insertBatch(sql: Transaction, batch: Batch): Promise<void> {
  await sql.execute(INSERT, batchValues(batch));
}

/** Stores the state of a batch whose row is locked. */
export async function putBatch(sql: Transaction, batch: Batch): Promise<void> {
  const { id, state, started, finished, collected, reason, failed, webhook, called, deleted } = batch;
  const { attempts = null, due = null } = webhook ?? {};
  const columns = [
    state,
    started,
    finished,
    collected,
    reason,
    failed,
    attempts,
    due,
    called?.outcome ?? null,
  ];
  await sql.execute(PUT, [id, ...columns, deleted]);
}

/** At most `count` batches of a key, except deleted ones, oldest first, beginning with number `from`. */
export async function listBatches(
  sql: Queryable,
  key: string,
  from: number,
  count: number,
): Promise<Batch[]> {
  return (await sql.query<BatchRow>(LIST, [key, from, count])).map(batchOf);
}
