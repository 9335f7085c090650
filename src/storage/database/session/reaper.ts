import { DATABASE_MS, SESSION_MS, UNCONFIRMED_SESSION_MS } from '../postgres/calendar-sql.js';
import type { Database, Transaction } from '../postgres/database.js';
import { DatabaseUnavailable } from '../postgres/database-errors.js';
import { type Queryable, statement } from '../postgres/statement.js';

/** Sessions that one transaction deletes. The next heartbeat deletes more. */
const REAPED_MAX = 16;

// A node whose transaction is in progress has its row locked. It is skipped: its transaction ends first.
const LOCK_EXPIRED = statement(
  'reaper-lock-expired',
  `SELECT id FROM nodes WHERE expires < ${SESSION_MS} ORDER BY id LIMIT ${REAPED_MAX} FOR UPDATE SKIP LOCKED`,
);
const EXPIRED = statement('reaper-expired', `SELECT id FROM nodes WHERE expires < ${SESSION_MS} ORDER BY id`);
const LOCK_ALL = statement('reaper-lock-all', 'SELECT id FROM nodes ORDER BY id FOR UPDATE');
const LOCK_ONE = statement('reaper-lock-one', 'SELECT id FROM nodes WHERE id = $1 FOR UPDATE');

/** The first format whose database has a calendar. */
const CALENDAR_FORMAT = 3;
// After the lock, so that a heartbeat in progress counts.
const lockOlder = (name: string, now: string) =>
  statement(
    name,
    `SELECT id, name, expires > ${now} AS serves FROM nodes WHERE format < $1 ORDER BY started, name FOR UPDATE`,
  );
const LOCK_OLDER = lockOlder('reaper-lock-older', UNCONFIRMED_SESSION_MS);
const LOCK_OLDER_BY_CLOCK = lockOlder('reaper-lock-older-by-clock', DATABASE_MS);

/**
 * In order. Accounts are locked in the order of their workspaces, as exchanges of credit do, so that no two transactions
 * wait for each other.
 */
const RELEASE = [
  statement(
    'reaper-lock-accounts',
    `SELECT workspace FROM accounts
     WHERE workspace IN (SELECT workspace FROM credit_leases WHERE node = ANY($1))
     ORDER BY workspace FOR UPDATE`,
  ),
  statement(
    'reaper-return-credit',
    `UPDATE accounts SET leased = accounts.leased - lease.amount
     FROM (SELECT workspace, sum(amount) AS amount FROM credit_leases WHERE node = ANY($1) GROUP BY workspace) AS lease
     WHERE accounts.workspace = lease.workspace`,
  ),
  statement('reaper-delete-leases', 'DELETE FROM credit_leases WHERE node = ANY($1)'),
  statement('reaper-free-chunks', 'UPDATE batch_chunks SET node = NULL WHERE node = ANY($1)'),
  statement('reaper-free-duties', 'DELETE FROM duties WHERE node = ANY($1)'),
  statement('reaper-delete-nodes', 'DELETE FROM nodes WHERE id = ANY($1)'),
];

/**
 * Deletes sessions that have expired, and returns their leases. Returns the sessions. If the database refuses that for one
 * of them, it deletes the others, and throws. Throws DatabaseUnavailable.
 */
export async function reapExpired(database: Database): Promise<number[]> {
  try {
    return await database.transaction(async (transaction) =>
      release(transaction, await transaction.query<{ id: number }>(LOCK_EXPIRED)),
    );
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    const failures: unknown[] = [];
    for (const { id } of await database.query<{ id: number }>(EXPIRED))
      await endSession(database, id).catch((failure) => failures.push(failure));
    throw failures[0] ?? error;
  }
}

/**
 * Deletes one session, if it exists, and returns its leases. Throws DatabaseUnavailable.
 *
 * @param statementMs the longest time of each statement, in place of that of the database
 */
export async function endSession(database: Database, session: number, statementMs?: number): Promise<void> {
  const end = async (transaction: Transaction) => {
    const rows = await transaction.query<{ id: number }>(LOCK_ONE, [session]);
    return release(transaction, rows);
  };
  await database.transaction(end, statementMs === undefined ? {} : { statementMs });
}

/**
 * Deletes the sessions of nodes of earlier formats than `to` if all of them have expired, and returns their leases: a node
 * that has hung cannot go on with its session then. Otherwise it deletes none, and returns the names of the nodes that
 * serve. `from`: the format of the database.
 */
export async function endOlderSessions(transaction: Queryable, from: number, to: number): Promise<string[]> {
  const lock = from < CALENDAR_FORMAT ? LOCK_OLDER_BY_CLOCK : LOCK_OLDER;
  const nodes = await transaction.query<{ id: number; name: string; serves: boolean }>(lock, [to]);
  const serving = nodes.filter(({ serves }) => serves).map(({ name }) => name);
  if (serving.length === 0) await release(transaction, nodes);
  return serving;
}

/** Deletes all sessions, and returns their leases. Call it only if none of them serves. */
export async function endAllSessions(transaction: Queryable): Promise<void> {
  await release(transaction, await transaction.query<{ id: number }>(LOCK_ALL));
}

async function release(transaction: Queryable, rows: readonly { id: number }[]): Promise<number[]> {
  const sessions = rows.map(({ id }) => id);
  if (sessions.length === 0) return sessions;
  for (const each of RELEASE) await transaction.execute(each, [sessions]);
  return sessions;
}
