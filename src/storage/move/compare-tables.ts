import { createHash } from 'node:crypto';
import { OperatorError } from '../../base/index.js';
import type { Database, Transaction } from '../database/postgres/database.js';
import type { Store } from '../folder/lmdb/store.js';
import { MOVED_TABLES, type MovedTable } from './correspondence.js';
import { databaseEntries } from './database-tables.js';
import { databaseFacts, folderFacts } from './facts.js';
import { folderEntries } from './folder-tables.js';
import { type Entry, entryBytes, movedForm, nameOf } from './moved-rows.js';

/** The two places of data, and the master key of both. */
export interface Sides {
  /** The data folder. */
  readonly folder: string;
  readonly database: Database;
  readonly masterKey: Buffer;
}

/** A table that is the same on both sides. */
export interface ComparedTable {
  readonly table: MovedTable;
  readonly rows: number;
  /** The SHA-256 of its entries in their order, in hexadecimal. */
  readonly sha256: string;
}

/** Called after rows were copied or compared. `rows`: the number of rows of the table so far. */
export type ReportRows = (step: 'copy' | 'compare', table: MovedTable, rows: number) => void;

/**
 * Reads every table of a data folder and of a database, entry by entry. Rejects with OperatorError, which names the first
 * difference; with StoreError for a damaged value.
 */
export async function compare(store: Store, sql: Transaction, report: ReportRows): Promise<ComparedTable[]> {
  const [folder, database] = [folderFacts(store), await databaseFacts(sql)];
  if (folder.changes !== database.changes || folder.masterCheck !== database.masterCheck)
    throw new OperatorError(
      'The number of changes or the check of the master key differs between the data folder and the database. Nothing was moved.',
    );
  const tables: ComparedTable[] = [];
  for (const table of MOVED_TABLES) tables.push(await compareTable(store, sql, table, report));
  return tables;
}

/** Like `compare`, for one table. */
export async function compareTable(
  store: Store,
  sql: Transaction,
  table: MovedTable,
  report: ReportRows,
): Promise<ComparedTable> {
  const hash = createHash('sha256');
  let rows = 0;
  const own = folderEntries(store, table)[Symbol.asyncIterator]();
  for await (const theirs of databaseEntries(sql, table)) {
    const { value: ours } = (await own.next()) as { value?: Entry };
    if (ours === undefined) throw differs(table, theirs);
    const bytes = entryBytes(movedForm(table, ours));
    if (!bytes.equals(entryBytes(theirs))) throw differs(table, ours);
    hash.update(bytes);
    rows += 1;
    report('compare', table, rows);
  }
  const { value: left } = (await own.next()) as { value?: Entry };
  if (left !== undefined) throw differs(table, left);
  return { table, rows, sha256: hash.digest('hex') };
}

const differs = (table: MovedTable, { key }: Entry): OperatorError =>
  new OperatorError(
    `The table ${table} differs between the data folder and the database, first at ${nameOf(table, key)}. Nothing was moved.`,
  );
