import { OperatorError } from '../../../../base/index.js';
import { DatabaseUnavailable } from '../database-errors.js';
import { type Queryable, statement } from '../statement.js';
import { DATABASE_FORMAT } from './migrations.js';

const UNDEFINED_TABLE = '42P01';

const FORMAT = statement('format', 'SELECT format FROM service WHERE id = 1');
const HELD_FORMAT = statement('held-format', 'SELECT format FROM service WHERE id = 1 FOR SHARE');

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

function check(found: number, format: number): void {
  if (found === format) return;
  if (found > format)
    throw new OperatorError(
      `The database has format ${found}, and this version of decider supports formats up to ${format}. Install the version that migrated it, or a later one.`,
    );
  throw new OperatorError(
    found === 0
      ? 'The database in store.url has no tables. Run: decider store migrate'
      : `The database has format ${found}, and this version of decider requires format ${format}. Stop all servers, then run: decider store migrate`,
  );
}
