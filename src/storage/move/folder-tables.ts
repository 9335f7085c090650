import { OperatorError } from '../../base/index.js';
import type { Store } from '../folder/lmdb/store.js';
import type { Table, TableEntry, Value } from '../folder/lmdb/table.js';
import type { TableName } from '../folder/lmdb/tables.js';
import type { RawWrite } from '../folder/lmdb/writes.js';
import { correspondenceOf, type MovedTable } from './correspondence.js';
import { PAGE_BYTES_MAX, PAGE_ROWS_MAX } from './database-tables.js';
import { type Entry, nameOf } from './moved-rows.js';

/** Bytes of a value that is not encrypted, about. */
const VALUE_BYTES = 256;

/**
 * All entries of a table of a data folder that are moved, in the order of their keys. Rejects with StoreError for a damaged
 * one.
 */
export async function* folderEntries(store: Store, name: MovedTable): AsyncGenerator<Entry> {
  // Other processes may have written since the last read.
  store.refresh();
  const entries = tableOf(store, name).entriesInTurns() as AsyncIterable<TableEntry<TableName>>;
  if (!correspondenceOf(name).outlivesTask) {
    yield* entries;
    return;
  }
  const tasks = new Set<unknown>();
  for (const { value } of store.table('tasks').entries()) tasks.add(value.id);
  for await (const entry of entries) if (tasks.has(entry.key[0])) yield entry;
}

/** Adds entries to a data folder that no other process uses. */
export async function insertEntries(
  store: Store,
  name: MovedTable,
  entries: readonly Entry[],
): Promise<void> {
  await store.write(entries.map((entry) => writeOf(store, name, entry)));
}

function writeOf(store: Store, name: MovedTable, { key, value }: Entry): RawWrite {
  try {
    return tableOf(store, name).write(key, value as Value<TableName>);
  } catch (error) {
    throw new OperatorError(
      `The row ${nameOf(name, key)} of the table ${name} in the database is damaged: ${(error as Error).message}.`,
    );
  }
}

const tableOf = (store: Store, name: MovedTable) => store.table(name) as unknown as Table<TableName>;

/** Groups entries so that no group has more than PAGE_ROWS_MAX, or PAGE_BYTES_MAX of values unless a single one has. */
export async function* pagesOf(entries: AsyncIterable<Entry>): AsyncGenerator<Entry[]> {
  let page: Entry[] = [];
  let bytes = 0;
  for await (const entry of entries) {
    const length = entry.value instanceof Uint8Array ? entry.value.length : VALUE_BYTES;
    if (page.length === PAGE_ROWS_MAX || (page.length > 0 && bytes + length > PAGE_BYTES_MAX)) {
      yield page;
      [page, bytes] = [[], 0];
    }
    page.push(entry);
    bytes += length;
  }
  if (page.length > 0) yield page;
}
