import {
  apply,
  type Batch,
  isFinished,
  type LineTries,
  mayStart,
  settledAs,
  TRANSITIONS,
} from '../../../../batch/index.js';
import { NOW_MS } from '../../postgres/calendar-sql.js';
import type { Transaction } from '../../postgres/database.js';
import { statement } from '../../postgres/statement.js';
import { lockBatch, putBatch } from './batch-table.js';
import { isChangedBy } from './conditions.js';

/** The result of a line that a node ran. */
export interface WrittenResult {
  readonly batch: string;
  readonly chunk: number;
  readonly line: number;
  readonly sealed: Buffer;
}

/** What lines of a batch add to its counts. */
export interface AddedCounts {
  readonly batch: string;
  readonly done: number;
  readonly failed: number;
  /** Bytes that the results take. */
  readonly stored: number;
  /** Whether a line has started. */
  readonly started: boolean;
}

/** A chunk that a node gives back. */
export interface EndedChunk {
  readonly batch: string;
  readonly chunk: number;
  /** Whether every line of it has a result. False: another node may claim it. */
  readonly settled: boolean;
  /** The tries of its lines, for the node that claims it next. Absent: what is stored of them stays. */
  readonly tried?: readonly LineTries[];
}

/** A result belongs to a chunk that the session has not claimed: a defect. */
export class NotClaimed extends Error {
  override readonly name = 'NotClaimed';

  constructor() {
    super('A result belongs to a chunk that this session has not claimed.');
  }
}

/** Results in one statement. */
const RESULTS_MAX = 500;

// Joined with the claims, so that a result of a chunk that is not this session's is not stored.
const INSERT_RESULTS = statement(
  'batch-results-insert',
  `INSERT INTO batch_results (batch, line, sealed)
   SELECT r.batch, r.line, r.sealed
   FROM unnest($2::text[], $3::int[], $4::int[], $5::bytea[]) AS r(batch, chunk, line, sealed)
   JOIN batch_chunks c ON c.batch = r.batch AND c.chunk = r.chunk AND c.node = $1`,
);

// In the order of their ids, so that transactions of several nodes do not deadlock.
const LOCK_BATCHES = statement(
  'batches-lock',
  'SELECT id FROM batches WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE',
);

// A batch that was stopped before its first counts were written has started nevertheless, but keeps its state.
const ADD_COUNTS = statement(
  'batch-counts',
  `UPDATE batches b SET done = b.done + a.done, failed = b.failed + a.failed, stored_other = b.stored_other + a.stored,
     started = CASE WHEN a.started THEN coalesce(b.started, ${NOW_MS}) ELSE b.started END,
     state = CASE WHEN a.started AND b.${isChangedBy('line_started')} THEN '${TRANSITIONS.queued.line_started}' ELSE b.state END
   FROM unnest($1::text[], $2::int[], $3::int[], $4::bigint[], $5::boolean[]) AS a(batch, done, failed, stored, started)
   WHERE b.id = a.batch`,
);

const END_CHUNKS = statement(
  'batch-chunks-end',
  `UPDATE batch_chunks c SET open = c.open AND NOT e.settled, node = NULL, tried = coalesce(e.tried, c.tried)
   FROM unnest($2::text[], $3::int[], $4::boolean[], $5::text[]) AS e(batch, chunk, settled, tried)
   WHERE c.batch = e.batch AND c.chunk = e.chunk AND c.node = $1`,
);

const LEFT = statement(
  'batch-chunks-left',
  `SELECT count(*) FILTER (WHERE open) AS open, count(node) AS claimed FROM batch_chunks WHERE batch = $1`,
);

/** Remove what a batch has only until it finishes. */
const REMOVE_LINES = ['batch_lines', 'batch_aborts', 'batch_chunks'].map((table) =>
  statement(`${table.replace('_', '-')}-remove`, `DELETE FROM ${table} WHERE batch = $1`),
);

/**
 * Stores results of lines of the session `node`. Rejects with NotClaimed; then the transaction must be rolled back.
 */
export async function insertResults(
  sql: Transaction,
  node: number,
  results: readonly WrittenResult[],
): Promise<void> {
  for (let at = 0; at < results.length; at += RESULTS_MAX) {
    const part = results.slice(at, at + RESULTS_MAX);
    const stored = await sql.execute(INSERT_RESULTS, [
      node,
      part.map(({ batch }) => batch),
      part.map(({ chunk }) => chunk),
      part.map(({ line }) => line),
      part.map(({ sealed }) => sealed),
    ]);
    if (stored !== part.length) throw new NotClaimed();
  }
}

/** Adds to the counts of batches. */
export async function addCounts(sql: Transaction, counts: readonly AddedCounts[]): Promise<void> {
  const ids = counts.map(({ batch }) => batch);
  await sql.query(LOCK_BATCHES, [ids]);
  await sql.execute(ADD_COUNTS, [
    ids,
    counts.map(({ done }) => done),
    counts.map(({ failed }) => failed),
    counts.map(({ stored }) => stored),
    counts.map(({ started }) => started),
  ]);
}

/** Ends the claims of a session. */
export async function endChunks(
  sql: Transaction,
  node: number,
  chunks: readonly EndedChunk[],
): Promise<void> {
  await sql.execute(END_CHUNKS, [
    node,
    chunks.map(({ batch }) => batch),
    chunks.map(({ chunk }) => chunk),
    chunks.map(({ settled }) => settled),
    chunks.map(({ tried }) => (tried === undefined ? null : JSON.stringify(tried))),
  ]);
}

/**
 * Finishes a batch whose row is locked, if nothing of it is left to run: every chunk is settled or, after it was stopped,
 * none is claimed. Returns the batch as it is then.
 */
export async function finishLocked(sql: Transaction, batch: Batch, now: number): Promise<Batch> {
  if (isFinished(batch)) return batch;
  const [left] = await sql.query<{ open: number; claimed: number }>(LEFT, [batch.id]);
  if (left === undefined || (mayStart(batch) ? left.open : left.claimed) > 0) return batch;
  const finished = apply(batch, settledAs(batch), now);
  await putBatch(sql, finished);
  for (const removal of REMOVE_LINES) await sql.execute(removal, [batch.id]);
  return finished;
}

/** Like `finishLocked`, for a batch that is not locked yet. Undefined: there is no such batch. */
export async function finishIfSettled(sql: Transaction, id: string): Promise<Batch | undefined> {
  const locked = await lockBatch(sql, id);
  return locked && finishLocked(sql, locked.batch, locked.now);
}
