import { OperatorError } from '../../base/index.js';
import { opensMasterCheck } from '../../sealing/index.js';
import { writeMark } from '../database/directory/history.js';
import type { Transaction } from '../database/postgres/database.js';
import { statement } from '../database/postgres/statement.js';
import type { Store } from '../folder/lmdb/store.js';
import type { RawWrite } from '../folder/lmdb/writes.js';

/** Single values of a store: in the table `meta` of a data folder, in `service` of a database. */
export interface Facts {
  /** The number of administrative changes. */
  readonly changes: number;
  /** A check of the master key, in base64; null if the store was never used with one. */
  readonly masterCheck: string | null;
}

const READ = statement('move-facts', 'SELECT changes, master_check FROM service WHERE id = 1');
const WRITE = statement('move-set-facts', 'UPDATE service SET changes = $1, master_check = $2 WHERE id = 1');

/** The facts of a data folder, as stored now. */
export function folderFacts(store: Store): Facts {
  store.refresh();
  const meta = store.table('meta');
  return { changes: meta.get('changes')?.changes ?? 0, masterCheck: meta.get('master')?.check ?? null };
}

/** The facts of a database. */
export async function databaseFacts(sql: Transaction): Promise<Facts> {
  const [row] = await sql.query<{ changes: number; master_check: string | null }>(READ);
  return { changes: row?.changes ?? 0, masterCheck: row?.master_check ?? null };
}

/** The writes that store facts in a data folder. The clock of a host, which `meta` also has, is not moved. */
export function factWrites(store: Store, { changes, masterCheck }: Facts): RawWrite[] {
  const meta = store.table('meta');
  const check = masterCheck === null ? [] : [meta.write(['master'], { check: masterCheck })];
  return [meta.write(['changes'], { changes }), ...check];
}

/** Stores facts in a database. */
export async function writeFacts(sql: Transaction, { changes, masterCheck }: Facts): Promise<void> {
  await sql.execute(WRITE, [changes, masterCheck]);
  await writeMark(sql, changes);
}

/** Throws OperatorError if the data are encrypted with another master key. `source`: where they are, for the message. */
export function requireMasterKey({ masterCheck }: Facts, masterKey: Buffer, source: string): void {
  if (masterCheck === null || opensMasterCheck(masterKey, masterCheck)) return;
  throw new OperatorError(
    `master_key is not the key that ${source} was encrypted with. Set it to that key: if none was configured, the content of master.key in the data folder.`,
  );
}
