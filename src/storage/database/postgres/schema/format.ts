import { OperatorError } from '../../../../base/index.js';
import type { Database, Transaction } from '../database.js';
import { DatabaseUnavailable } from '../database-errors.js';
import { type Queryable, statement } from '../statement.js';
import { DATABASE_FORMAT } from './migrations.js';

const UNDEFINED_TABLE = '42P01';

const FORMAT = statement('format', 'SELECT format FROM service WHERE id = 1');
const HELD_FORMAT = statement('held-format', 'SELECT format FROM service WHERE id = 1 FOR SHARE');
// Conflicts with a migration, which locks the row FOR UPDATE, but not with administrative changes.
const GUARDED_FORMAT = statement('guarded-format', 'SELECT format FROM service WHERE id = 1 FOR KEY SHARE');
const MARK_MOVED = statement('mark-moved', 'UPDATE service SET format = -format WHERE id = 1');
/** Code of the error for a format that is not this version's. */
const WRONG_FORMAT = 'format';

/** A running node or a change has found that the database has a format that this version cannot use. */
export class WrongFormat extends DatabaseUnavailable {
  override readonly name = 'WrongFormat';
}

/** The format of a database; 0: it has no tables of this program. */
export async function readFormat(database: Queryable): Promise<number> {
  try {
    const [row] = await database.query<{ format: number }>(FORMAT);
    return row?.format ?? 0;
  } catch (error) {
    if (error instanceof DatabaseUnavailable && error.code === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

/** Throws OperatorError, whose message says what to do, if a database does not have the format of this version. */
export async function requireFormat(database: Queryable, format: number = DATABASE_FORMAT): Promise<void> {
  check(await readFormat(database), format);
}

/**
 * Like `requireFormat`, and blocks migrations until the end of the transaction. The registration of a node uses it, so that
 * a migration sees every node that could still use the earlier format. The tables must exist.
 */
export async function holdFormat(transaction: Queryable, format: number = DATABASE_FORMAT): Promise<void> {
  const [row] = await transaction.query<{ format: number }>(HELD_FORMAT);
  check(row?.format ?? 0, format);
}

/**
 * Like `holdFormat`, for a transaction of a running node that `fence` does not begin: a migration or a move ends sessions, and
 * nothing else that a node has. Call it first. Throws WrongFormat, a DatabaseUnavailable, so that callers get the answer for a database that cannot
 * be used.
 */
export async function guardFormat(transaction: Queryable): Promise<void> {
  const [row] = await transaction.query<{ format: number }>(GUARDED_FORMAT);
  requireUsableFormat(row?.format ?? 0);
}

/** Runs a transaction of a node that its session does not protect from a migration: see `guardFormat`. */
export const guarded = <Result>(
  database: Database,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> =>
  database.transaction(async (transaction) => {
    await guardFormat(transaction);
    return work(transaction);
  });

/** Throws WrongFormat if a format that a running node or a change has found is not that of this version. */
export function requireUsableFormat(found: number): void {
  if (found !== DATABASE_FORMAT) throw new WrongFormat(wrongFormat(found, DATABASE_FORMAT), WRONG_FORMAT);
}

/**
 * Gives a database whose data were moved elsewhere the negative of its format, which no version accepts: a server must not
 * go on with what is stored in another place now. Lock the row of `service` first.
 */
export async function markMoved(transaction: Queryable): Promise<void> {
  await transaction.execute(MARK_MOVED);
}

/** Whether the data of a database of this format were moved elsewhere; see `markMoved`. */
export const isMoved = (found: number): boolean => found < 0;

/** Throws OperatorError if the data of a database were moved elsewhere. */
export function refuseMoved(found: number): void {
  if (isMoved(found)) throw new OperatorError(MOVED);
}

function check(found: number, format: number): void {
  if (found !== format) throw new OperatorError(wrongFormat(found, format));
}

const MOVED =
  'The data of the database in store.url was moved to a data folder (decider store move --to folder). Remove store.url, and start the server on that folder.';

function wrongFormat(found: number, format: number): string {
  if (isMoved(found)) return MOVED;
  if (found > format)
    return `The database has format ${found}, and this version of decider supports formats up to ${format}. Install the version that migrated it, or a later one.`;
  return found === 0
    ? 'The database in store.url has no tables. Run: decider store migrate'
    : `The database has format ${found}, and this version of decider requires format ${format}. Stop all servers, then run: decider store migrate`;
}
