import type { Transaction } from '../database/postgres/database.js';
import { holdFormat, requireFormat } from '../database/postgres/schema/format.js';
import { fillListsAlone } from '../folder/administration/fill-lists.js';
import { fillStore } from '../folder/lmdb/fill-store.js';
import type { Store } from '../folder/lmdb/store.js';
import { type ComparedTable, compare, type ReportRows, type Sides } from './compare-tables.js';
import { MOVED_TABLES, type MovedTable } from './correspondence.js';
import { lockDatabase, MOVE_STEP_MS_MAX } from './database-lock.js';
import { databaseEntries } from './database-tables.js';
import { databaseFacts, factWrites, requireMasterKey } from './facts.js';
import { insertEntries, pagesOf } from './folder-tables.js';

/**
 * Copies everything in a database to a data folder that has no store, and compares both before the store takes its place:
 * the folder has everything or no store. The database is not changed; meanwhile no server can start on it.
 *
 * @throws OperatorError if a server uses the database, the folder has a store, the master key is another, or the
 *   comparison finds a difference; StoreError; DatabaseUnavailable
 */
export async function moveToFolder(
  { folder, database, masterKey }: Sides,
  report: ReportRows,
): Promise<ComparedTable[]> {
  await requireFormat(database);
  return database.read(
    async (sql) => {
      await lockDatabase(sql);
      await holdFormat(sql);
      requireMasterKey(await databaseFacts(sql), masterKey, 'the database');
      return fillStore(folder, (store) => copyAndCompare(sql, store, report));
    },
    { statementMs: MOVE_STEP_MS_MAX },
  );
}

async function copyAndCompare(sql: Transaction, store: Store, report: ReportRows): Promise<ComparedTable[]> {
  for (const table of MOVED_TABLES) await copyTable(sql, store, table, report);
  fillListsAlone(store);
  await store.write(factWrites(store, await databaseFacts(sql)));
  return compare(store, sql, report);
}

async function copyTable(
  sql: Transaction,
  store: Store,
  table: MovedTable,
  report: ReportRows,
): Promise<void> {
  let rows = 0;
  for await (const page of pagesOf(databaseEntries(sql, table))) {
    await insertEntries(store, table, page);
    rows += page.length;
    report('copy', table, rows);
  }
}
