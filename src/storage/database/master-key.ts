import { OperatorError } from '../../base/index.js';
import { masterCheck, opensMasterCheck, readMasterKey } from '../../sealing/index.js';
import type { Database } from './postgres/database.js';
import { type Queryable, statement } from './postgres/statement.js';

const READ = statement('master-check-read', 'SELECT master_check AS "check" FROM service WHERE id = 1');
// Of several nodes that start for the first time, one records its key.
const RECORD = statement(
  'master-check-record',
  'UPDATE service SET master_check = $1 WHERE id = 1 AND master_check IS NULL',
);

/**
 * Returns the master key `given`, 64 hexadecimal digits, if the data keys of the database are encrypted with it, and
 * records it if it is the first. Throws OperatorError; DatabaseUnavailable.
 */
export async function useDatabaseKey(database: Database, given: string): Promise<Buffer> {
  const master = readMasterKey(given);
  if (await checkDatabaseKey(database, given)) return master;
  await database.execute(RECORD, [masterCheck(master)]);
  await checkDatabaseKey(database, given);
  return master;
}

/**
 * Throws OperatorError if the data keys of the database are encrypted with another master key than `given`. Returns whether
 * a master key is recorded.
 */
export async function checkDatabaseKey(database: Queryable, given: string): Promise<boolean> {
  const master = readMasterKey(given);
  const [row] = await database.query<{ check: string | null }>(READ);
  const check = row?.check ?? null;
  if (check !== null && !opensMasterCheck(master, check))
    throw new OperatorError(
      'The master key is not the one that the database was encrypted with. Configure the same master_key on every server.',
    );
  return check !== null;
}
