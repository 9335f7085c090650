import { OperatorError } from '../../base/index.js';
import { certainTransaction } from './postgres/certain.js';
import type { Database, Transaction } from './postgres/database.js';
import { StatementError } from './postgres/database-errors.js';
import { refuseMoved } from './postgres/schema/format.js';
import { MIGRATIONS, type Migration } from './postgres/schema/migrations.js';
import { statement } from './postgres/statement.js';
import { endOlderSessions } from './session/reaper.js';

/** The longest time of a statement of a migration, in milliseconds. The tables may be large. */
const STATEMENT_MS_MAX = 60 * 60 * 1_000;
/** Names of nodes in an error message. */
const NAMES_MAX = 5;

interface Migrated {
  /** The format before; 0: there were no tables. */
  readonly from: number;
  readonly to: number;
}

const CREATE_SERVICE = statement(
  'create-service',
  `CREATE TABLE IF NOT EXISTS service (
    id smallint PRIMARY KEY CHECK (id = 1),
    format int NOT NULL,
    changes bigint NOT NULL DEFAULT 0,
    master_check text
  )`,
);
const ADD_SERVICE = statement(
  'add-service',
  'INSERT INTO service (id, format) VALUES (1, 0) ON CONFLICT (id) DO NOTHING',
);
const ENCODING = statement('encoding', `SELECT current_setting('server_encoding') AS encoding`);
const LOCK_SERVICE = statement('lock-service', 'SELECT format FROM service WHERE id = 1 FOR UPDATE');
const SET_FORMAT = statement('set-format', 'UPDATE service SET format = $1 WHERE id = 1');
/**
 * Migrates the tables of a database to the format of this version, in one transaction; changes nothing if they have it. A
 * lock on the row of `service` makes a concurrent migration wait. Ends sessions that have expired: a node that only hung
 * registers again, which the new format refuses. Throws OperatorError if nodes of an older format are serving, the format
 * is newer, the data were moved to a folder or the encoding is not UTF8; DatabaseUnavailable; CommitUnknown.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Migrated> {
  await requireUtf8(database);
  await createService(database);
  const to = migrations.length;
  return certainTransaction(
    database,
    async (transaction) => {
      const from = await lockFormat(transaction);
      refuseMoved(from);
      if (from > to)
        throw new OperatorError(
          `The database has format ${from}, which is newer than format ${to} of this version of decider. Install the version that migrated it, or a later one.`,
        );
      if (from === to) return { from, to };
      if (from > 0) refuseNodes(await endOlderSessions(transaction, from, to));
      for (const [index, migration] of migrations.slice(from).entries()) {
        for (const [number, step] of migration.entries()) {
          if (typeof step !== 'string') await step(transaction);
          else await transaction.execute(statement(`migration-${from + index + 1}-${number + 1}`, step));
        }
      }
      await transaction.execute(SET_FORMAT, [to]);
      return { from, to };
    },
    async (transaction, migrated) => ((await lockFormat(transaction)) === to ? migrated : null),
    { statementMs: STATEMENT_MS_MAX },
  );
}

/** The format of the tables, which no other transaction can change until the end of this one; 0: there are none. */
async function lockFormat(transaction: Transaction): Promise<number> {
  await transaction.execute(ADD_SERVICE);
  const [row] = await transaction.query<{ format: number }>(LOCK_SERVICE);
  return row?.format ?? 0;
}

async function requireUtf8(database: Database): Promise<void> {
  const [{ encoding } = { encoding: '' }] = await database.query<{ encoding: string }>(ENCODING);
  if (encoding === 'UTF8') return;
  throw new OperatorError(
    `The database has the encoding ${encoding}. Create one with: CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'`,
  );
}

/** SQLSTATEs of a table that another migration creates at the same moment. */
const EXISTS: readonly string[] = ['42P07', '23505', '42710'];

async function createService(database: Database): Promise<void> {
  try {
    await database.execute(CREATE_SERVICE);
  } catch (error) {
    if (!(error instanceof StatementError && EXISTS.includes(error.code))) throw error;
  }
}

/** Throws OperatorError if there are names of nodes. */
function refuseNodes(serving: readonly string[]): void {
  if (serving.length === 0) return;
  const names = serving.slice(0, NAMES_MAX);
  const more = serving.length > NAMES_MAX ? ` and ${serving.length - NAMES_MAX} more` : '';
  throw new OperatorError(
    `Servers of an older version are running: ${names.join(', ')}${more}. Stop them, wait 10 seconds, and run the command again.`,
  );
}
