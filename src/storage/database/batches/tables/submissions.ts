import { type Batch, type Idempotency, idempotencyConflict, isSameFile } from '../../../../batch/index.js';
import { NOW_MS, SETTLED_MS } from '../../postgres/calendar-sql.js';
import type { Transaction } from '../../postgres/database.js';
import { guardFormat } from '../../postgres/schema/format.js';
import { type Queryable, statement } from '../../postgres/statement.js';
import { keyWorksIn, MAY_START, submissionIsOver } from './conditions.js';

/** A key whose submissions are locked until the transaction ends. */
interface LockedKey {
  /** Whether it works now, by the database's clock. */
  readonly works: boolean;
  /** The number of its next batch. */
  readonly number: number;
  /** How many of its batches are queued or running. */
  readonly open: number;
  /** The database's time, in milliseconds since 1970. */
  readonly now: number;
}

// Locks the row, whether it is new or not. The row of the key is not locked, so that the key can be revoked while a large
// batch is stored.
const LOCK_SUBMISSIONS = statement(
  'submission-lock',
  `INSERT INTO batch_numbers (key, next) VALUES ($1, 0)
   ON CONFLICT (key) DO UPDATE SET next = batch_numbers.next RETURNING next AS number`,
);

// A statement of its own: it must see what was committed while the row was locked by another transaction.
const KEY_STATE = statement(
  'submission-key',
  `SELECT ${NOW_MS} AS now, ${keyWorksIn('keys')} AS works,
     (SELECT count(*) FROM batches WHERE key = $1 AND ${MAY_START}) AS open
   FROM keys WHERE id = $1`,
);

const COUNT_OPEN = statement(
  'key-open-batches',
  `SELECT count(*) AS open FROM batches WHERE key = $1 AND ${MAY_START}`,
);

const NEXT_NUMBER = statement('submission-next-number', 'UPDATE batch_numbers SET next = $2 WHERE key = $1');

const FIND = statement(
  'submission-find',
  `SELECT batch, body FROM submissions WHERE key = $1 AND digest = $2 AND NOT ${submissionIsOver(SETTLED_MS)}`,
);

const PUT = statement(
  'submission-put',
  `INSERT INTO submissions (key, digest, batch, body, at) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (key, digest) DO UPDATE SET batch = excluded.batch, body = excluded.body, at = excluded.at`,
);

const REMOVE = statement('submission-remove', 'DELETE FROM submissions WHERE key = $1 AND batch = $2');

const STORED = statement(
  'batch-stored-bytes',
  `SELECT workspace,
     sum(stored_other + CASE WHEN finished IS NULL THEN stored_lines ELSE 0 END)::bigint AS bytes
   FROM batches WHERE NOT deleted GROUP BY workspace`,
);

/**
 * Locks the submissions of a key, so that all nodes store them one after the other, and the format of the database.
 * Undefined if there is no such key.
 */
export async function lockSubmissions(sql: Transaction, key: string): Promise<LockedKey | undefined> {
  await guardFormat(sql);
  const [locked] = await sql.query<Pick<LockedKey, 'number'>>(LOCK_SUBMISSIONS, [key]);
  const [state] = await sql.query<Omit<LockedKey, 'number'>>(KEY_STATE, [key]);
  return locked && state && { ...locked, ...state };
}

/** How many batches of a key are queued or running. */
export async function countOpen(sql: Queryable, key: string): Promise<number> {
  const [row] = await sql.query<{ open: number }>(COUNT_OPEN, [key]);
  return row?.open ?? 0;
}

/** Sets the number of a key's next batch. */
export async function setNextNumber(sql: Transaction, key: string, number: number): Promise<void> {
  await sql.execute(NEXT_NUMBER, [key, number]);
}

/**
 * The id of the batch that a key made under an idempotency key in the last 24 hours; undefined if there is none. Rejects
 * with ApiError `idempotency_conflict` if it was made with another file.
 */
export async function findSubmission(
  sql: Queryable,
  key: string,
  submission: Idempotency,
): Promise<string | undefined> {
  const [row] = await sql.query<{ batch: string; body: string }>(FIND, [key, submission.digest]);
  if (row === undefined || isSameFile(row.body, submission)) return row?.batch;
  throw idempotencyConflict();
}

/** Records which batch a key made under an idempotency key. `at`: milliseconds since 1970. */
export async function putSubmission(
  sql: Transaction,
  key: string,
  { digest, body }: Idempotency,
  batch: string,
  at: number,
): Promise<void> {
  await sql.execute(PUT, [key, digest, batch, body, at]);
}

/** Forgets what a key submitted as this batch, so that a repeated submission makes a new one. */
export async function removeSubmissionOf(
  sql: Transaction,
  { key, id }: Pick<Batch, 'key' | 'id'>,
): Promise<void> {
  await sql.execute(REMOVE, [key, id]);
}

/** The bytes of the stored batches of each workspace, each as `storedBytesOf` counts it. */
export async function storedBytes(sql: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query<{ workspace: string; bytes: number }>(STORED);
  return new Map(rows.map(({ workspace, bytes }) => [workspace, bytes]));
}
