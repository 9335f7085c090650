import { OperatorError } from '../../base/index.js';
import { UNCONFIRMED_SESSION_MS } from '../database/postgres/calendar-sql.js';
import type { Transaction } from '../database/postgres/database.js';
import { statement } from '../database/postgres/statement.js';
import { correspondenceOf, MOVED_TABLES } from './correspondence.js';

/** The longest time of a statement of a move, in milliseconds. */
export const MOVE_STEP_MS_MAX = 60 * 60 * 1_000;
/** The database ends a move that has been silent for this many milliseconds. */
const SILENT_MS_MAX = 10 * 60 * 1_000;
/** Names of servers in an error message. */
const NAMES_MAX = 5;

const LIMIT_SILENCE = statement(
  'move-limit-silence',
  `SELECT set_config('idle_in_transaction_session_timeout', $1, true)`,
);
// Servers that start share this row, and administrators change it.
const LOCK_SERVICE = statement('move-lock-service', 'SELECT id FROM service WHERE id = 1 FOR UPDATE');
// A server whose session has expired may still be running: its next transaction shares its row.
const LOCK_NODES = statement(
  'move-lock-nodes',
  `SELECT name, expires > ${UNCONFIRMED_SESSION_MS} AS serves FROM nodes ORDER BY started, name FOR UPDATE`,
);

/** Waits until every other transaction that has locked the row of `service` has ended. */
export async function lockService(sql: Transaction): Promise<void> {
  await sql.query(LOCK_SERVICE);
}

/**
 * Blocks all other writes to the database until the end of the transaction. Throws OperatorError if servers use it.
 */
export async function lockDatabase(sql: Transaction): Promise<void> {
  await sql.query(LIMIT_SILENCE, [String(SILENT_MS_MAX)]);
  await lockService(sql);
  const nodes = await sql.query<{ name: string; serves: boolean }>(LOCK_NODES);
  const names = nodes.filter(({ serves }) => serves).map(({ name }) => name);
  if (names.length === 0) return;
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : '';
  throw new OperatorError(
    `Servers use the database: ${names.slice(0, NAMES_MAX).join(', ')}${more}. Stop them, wait 10 seconds, and run the command again.`,
  );
}

/** Throws OperatorError if a table of the database has a row. */
export async function requireEmpty(sql: Transaction): Promise<void> {
  const table = await tableWithRows(sql);
  if (table === null) return;
  throw new OperatorError(
    `The database is not empty: its table ${table} has rows. Move to a new database, and create its tables with: decider store migrate`,
  );
}

/** The name of a table of the database that has a row; null if none has one. */
export async function tableWithRows(sql: Transaction): Promise<string | null> {
  const tables = new Set(MOVED_TABLES.map((name) => correspondenceOf(name).table));
  for (const table of tables) {
    const found = await sql.query(statement(`move-any-${table}`, `SELECT 1 FROM ${table} LIMIT 1`));
    if (found.length > 0) return table;
  }
  return null;
}
