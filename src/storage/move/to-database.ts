import { OperatorError } from '../../base/index.js';
import { serveAlone } from '../data-folder/serving.js';
import { certainTransaction } from '../database/postgres/certain.js';
import type { Transaction } from '../database/postgres/database.js';
import { holdFormat, requireFormat } from '../database/postgres/schema/format.js';
import { openToRead } from '../folder/lmdb/format.js';
import type { Store } from '../folder/lmdb/store.js';
import { type ComparedTable, compare, type ReportRows, type Sides } from './compare-tables.js';
import { correspondenceOf, MOVED_TABLES, type MovedTable } from './correspondence.js';
import { lockDatabase, MOVE_STEP_MS_MAX, requireEmpty, tableWithRows } from './database-lock.js';
import { insertRows } from './database-tables.js';
import { type AddedColumns, addedColumns, writeDerived } from './derived.js';
import { folderFacts, requireMasterKey, writeFacts } from './facts.js';
import { folderEntries, pagesOf } from './folder-tables.js';
import { rowOf } from './moved-rows.js';

/**
 * Copies everything in a data folder to an empty database, in one transaction, and compares both before it is committed:
 * the database has everything or nothing. The folder is not changed.
 *
 * @throws OperatorError if a server uses either, the database is not empty, the master key is another, or the comparison
 *   finds a difference; StoreError; DatabaseUnavailable; CommitUnknown
 */
export async function moveToDatabase(
  { folder, database, masterKey }: Sides,
  report: ReportRows,
): Promise<ComparedTable[]> {
  await requireFormat(database);
  const leave = serveAlone(folder);
  try {
    const store = openToRead(folder);
    try {
      return await certainTransaction(
        database,
        (sql) => copyAndCompare(store, sql, masterKey, report),
        async (sql) => {
          await lockDatabase(sql);
          return (await tableWithRows(sql)) === null ? null : compare(store, sql, report);
        },
        { statementMs: MOVE_STEP_MS_MAX },
      );
    } finally {
      await store.close();
    }
  } finally {
    leave();
  }
}

async function copyAndCompare(
  store: Store,
  sql: Transaction,
  masterKey: Buffer,
  report: ReportRows,
): Promise<ComparedTable[]> {
  await lockDatabase(sql);
  await holdFormat(sql);
  await requireEmpty(sql);
  const facts = folderFacts(store);
  requireMasterKey(facts, masterKey, `the data folder ${store.folder}`);
  requireNoErasures(store);
  const added = addedColumns(store, facts, masterKey);
  for (const table of MOVED_TABLES) await copyTable(store, sql, table, added, report);
  await writeDerived(sql);
  await writeFacts(sql, facts);
  const tables = await compare(store, sql, report);
  // Other tables than those of administration are written by the server alone, which does not run.
  if (folderFacts(store).changes === facts.changes) return tables;
  throw new OperatorError(
    'Another command changed the data folder meanwhile. Nothing was moved. Run the command again.',
  );
}

/** Throws OperatorError if a batch was erased that no server has removed yet. */
function requireNoErasures(store: Store): void {
  const [first] = store.table('batch_erasures').keys();
  if (first === undefined) return;
  throw new OperatorError(
    `The batch ${first[0]} was erased, and is removed by the next start of a server. Start one on the data folder, stop it, and run the command again.`,
  );
}

async function copyTable(
  store: Store,
  sql: Transaction,
  table: MovedTable,
  added: AddedColumns,
  report: ReportRows,
): Promise<void> {
  if (correspondenceOf(table).isIndex) return;
  let rows = 0;
  for await (const page of pagesOf(folderEntries(store, table))) {
    await insertRows(
      sql,
      table,
      page.map((entry) => ({ ...rowOf(table, entry), ...added(table, entry) })),
    );
    rows += page.length;
    report('copy', table, rows);
  }
}
