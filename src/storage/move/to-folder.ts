import { OperatorError } from '../../base/index.js';
import { certainTransaction } from '../database/postgres/certain.js';
import type { Transaction } from '../database/postgres/database.js';
import {
  holdFormat,
  isMoved,
  markMoved,
  readFormat,
  requireFormat,
} from '../database/postgres/schema/format.js';
import { endAllSessions } from '../database/session/reaper.js';
import { fillListsAlone } from '../folder/administration/fill-lists.js';
import { fillStore } from '../folder/lmdb/fill-store.js';
import type { Store } from '../folder/lmdb/store.js';
import { type ComparedTable, compare, type ReportRows, type Sides } from './compare-tables.js';
import { MOVED_TABLES, type MovedTable } from './correspondence.js';
import { lockDatabase, lockService, MOVE_STEP_MS_MAX } from './database-lock.js';
import { databaseEntries } from './database-tables.js';
import { databaseFacts, factWrites, requireMasterKey } from './facts.js';
import { insertEntries, pagesOf } from './folder-tables.js';

/**
 * Copies everything in a database to a data folder that has no store, and compares both before the store takes its place:
 * the folder has everything or no store. Meanwhile no server can start on the database, and afterwards none can use it: it is
 * marked as moved, and the sessions of nodes that only hung are ended. Its rows are not changed otherwise.
 *
 * @throws OperatorError if a server uses the database, the folder has a store, the master key is another, or the
 *   comparison finds a difference; StoreError; DatabaseUnavailable
 */
export async function moveToFolder(
  { folder, database, masterKey }: Sides,
  report: ReportRows,
): Promise<ComparedTable[]> {
  await requireFormat(database);
  let isPlaced = false;
  try {
    return await certainTransaction(
      database,
      async (sql) => {
        await lockDatabase(sql);
        await holdFormat(sql);
        requireMasterKey(await databaseFacts(sql), masterKey, 'the database');
        const tables = await fillStore(folder, (store) => copyAndCompare(sql, store, report));
        isPlaced = true;
        await endAllSessions(sql);
        await markMoved(sql);
        return tables;
      },
      async (sql, tables) => {
        await lockService(sql);
        return isMoved(await readFormat(sql)) ? tables : null;
      },
      { statementMs: MOVE_STEP_MS_MAX },
    );
  } catch (error) {
    throw isPlaced ? unmarked(folder, error as Error) : error;
  }
}

/** The folder has everything, but servers could still use the database. */
const unmarked = (folder: string, { message }: Error) =>
  new OperatorError(
    `The data folder ${folder} has the content of the database now, and both were compared. The database could not be marked as moved: ${message} Remove store.url, start the server, and make sure that no server uses the database again: one that hung may go on.`,
  );

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
