import { type Key, sortedName, type Workspace } from '../../access/index.js';
import { StoreError } from '../../base/index.js';
import { openIds } from '../../batch/index.js';
import { DataKeys } from '../database/batches/data-keys.js';
import { UNFINISHED } from '../database/batches/tables/conditions.js';
import type { Transaction } from '../database/postgres/database.js';
import { statement } from '../database/postgres/statement.js';
import type { Store } from '../folder/lmdb/store.js';
import type { MovedTable } from './correspondence.js';
import type { Facts } from './facts.js';
import type { Entry, Row } from './moved-rows.js';

/** Returns the derived columns of an entry; see `Correspondence.added`. */
export type AddedColumns = (name: MovedTable, entry: Entry) => Row;

/** Throws StoreError for an encrypted value that cannot be read. */
export function addedColumns(store: Store, { changes }: Facts, masterKey: Buffer): AddedColumns {
  const keys = new DataKeys(() => masterKey);
  let last: { readonly batch: string; readonly dataKey: Buffer | null } | null = null;
  return (name, entry) => {
    if (name === 'workspaces' || name === 'keys') {
      return { sorted_name: sortedName((entry.value as Workspace | Key).name), changed: changes };
    }
    if (name !== 'batch_ids') return {};
    const [batch, chunk] = entry.key as [string, number];
    if (last?.batch !== batch) last = { batch, dataKey: dataKeyOf(store, keys, batch) };
    // Nothing of a batch that is being deleted can be read any more.
    if (last.dataKey === null) return { first: 0, lines: 0 };
    const { first, ids } = openIds({ id: batch, dataKey: last.dataKey }, chunk, entry.value as Buffer);
    return { first, lines: ids.length };
  };
}

/** Null: the batch is being deleted. Throws StoreError. */
function dataKeyOf(store: Store, keys: DataKeys, batch: string): Buffer | null {
  const sealed = store.table('data_keys').get(batch);
  if (sealed !== undefined) return keys.open(batch, sealed);
  if (store.table('batches').get(batch)?.deleted === true) return null;
  throw new StoreError(`The batch ${batch} has no data key.`);
}

const NEXT_NUMBERS = statement(
  'move-next-numbers',
  'INSERT INTO batch_numbers (key, next) SELECT key, max(number) + 1 FROM batches GROUP BY key',
);

const CHUNKS = statement(
  'move-chunks',
  `INSERT INTO batch_chunks (batch, chunk, open)
   SELECT ids.batch, ids.chunk, ids.lines > (
     SELECT count(*) FROM batch_results WHERE batch = ids.batch AND line >= ids.first AND line < ids.first + ids.lines
   )
   FROM batch_ids ids JOIN batches ON batches.id = ids.batch
   WHERE batches.${UNFINISHED}`,
);

const TASK_NUMBERS = statement(
  'move-task-numbers',
  `UPDATE tasks SET answers = found.last, oldest = found.first - 1
   FROM (SELECT task, min(number) AS first, max(number) AS last FROM task_answers GROUP BY task) AS found
   WHERE found.task = tasks.id`,
);

/** Writes what follows from the entries, once all of them are in the database. */
export async function writeDerived(sql: Transaction): Promise<void> {
  await sql.execute(NEXT_NUMBERS);
  await sql.execute(CHUNKS);
  await sql.execute(TASK_NUMBERS);
}
