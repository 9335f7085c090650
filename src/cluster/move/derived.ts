import { type Statement, statement, type Transaction } from '../../postgres/index.js';
import { placeOf, type Store, StoreError, unseal } from '../../store/index.js';
import { type MovedTable, NO_MONTH } from './correspondence.js';
import type { Facts } from './facts.js';
import type { Entry, Row } from './rows.js';

/** Makes the columns that the database has besides those of an entry; see `Correspondence.added`. */
export type AddedColumns = (name: MovedTable, entry: Entry) => Row;

/** `master`: the master key. Throws StoreError for an encrypted value that cannot be read. */
export function addedColumns(store: Store, { changes }: Facts, master: Uint8Array): AddedColumns {
  let current: { batch: string; key: Buffer | null } | null = null;
  const keyOf = (batch: string): Buffer | null => {
    if (current?.batch !== batch) current = { batch, key: dataKey(store, batch, master) };
    return current.key;
  };
  return (name, entry) => {
    if (name === 'workspaces' || name === 'keys') return { changed: changes };
    if (name !== 'batch_ids') return {};
    const [batch, chunk] = entry.key as [string, number];
    return linesOfChunk(keyOf(batch), batch, chunk, entry.value as Buffer);
  };
}

/** Null: the batch is being deleted, and nothing of it can be read any more. */
function dataKey(store: Store, batch: string, master: Uint8Array): Buffer | null {
  const sealed = store.table('data_keys').get(batch);
  if (sealed !== undefined) return unseal(master, placeOf('data_keys', batch), sealed);
  if (store.table('batches').get(batch)?.deleted !== false) return null;
  throw new StoreError(`The batch ${batch} has no data key.`);
}

function linesOfChunk(dataKey: Buffer | null, batch: string, chunk: number, sealed: Buffer): Row {
  if (dataKey === null) return { first: 0, lines: 0 };
  const plain = unseal(dataKey, placeOf('batch_ids', batch, chunk), sealed);
  const { first, ids } = JSON.parse(plain.toString()) as { first: number; ids: unknown[] };
  return { first, lines: ids.length };
}

const UNFINISHED = `state NOT IN ('done', 'failed', 'cancelled') AND NOT deleted`;

/** What the database has besides the rows of entries. */
const DERIVED: readonly Statement[] = [
  statement(
    'move-next-numbers',
    `UPDATE keys SET next_number = last.number + 1
     FROM (SELECT key, max(number) AS number FROM batches GROUP BY key) AS last WHERE last.key = keys.id`,
  ),
  statement(
    'move-accounts',
    `INSERT INTO accounts (workspace, month) SELECT id, '${NO_MONTH}' FROM workspaces
     WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE workspace = workspaces.id)`,
  ),
  statement(
    'move-chunks',
    `INSERT INTO batch_chunks (batch, chunk, open)
     SELECT ids.batch, ids.chunk, ids.lines > (
       SELECT count(*) FROM batch_results WHERE batch = ids.batch AND line >= ids.first AND line < ids.first + ids.lines
     ) FROM batch_ids ids JOIN batches ON batches.id = ids.batch WHERE ${UNFINISHED}`,
  ),
  // A batch whose every line has a result finishes when the node that claimed its last chunk gives it back.
  statement(
    'move-last-chunks',
    `UPDATE batch_chunks SET open = true WHERE chunk = 0
     AND NOT EXISTS (SELECT 1 FROM batch_chunks other WHERE other.batch = batch_chunks.batch AND other.open)`,
  ),
];

/** Writes what follows from the entries, once all of them are in the database. */
export async function writeDerived(sql: Transaction): Promise<void> {
  for (const each of DERIVED) await sql.execute(each);
}
