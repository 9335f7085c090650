import type { Key, Workspace } from '../../access/index.js';
import { type Queryable, type Statement, statement } from '../../postgres/index.js';
import {
  KEY_COLUMNS,
  type KeyRow,
  keyOf,
  WORKSPACE_COLUMNS,
  type WorkspaceRow,
  workspaceOf,
} from '../account-rows.js';

/** Rows that one statement returns. */
export const PAGE_ROWS = 5_000;

const CHANGES = statement('directory-changes', 'SELECT changes FROM service WHERE id = 1');
const KEYS = statement('directory-keys', pageOf('keys', KEY_COLUMNS));
const WORKSPACES = statement('directory-workspaces', pageOf('workspaces', WORKSPACE_COLUMNS));

/** Rows after a change and an id, in this order. One change can have written any number of rows. */
function pageOf(table: string, columns: string): string {
  return `SELECT ${columns}, changed FROM ${table} WHERE (changed, id) > ($1, $2)
    ORDER BY changed, id LIMIT ${PAGE_ROWS}`;
}

/** The number of the last administrative change. */
export async function lastChange(database: Queryable): Promise<number> {
  const [row] = await database.query<{ changes: number }>(CHANGES);
  return row?.changes ?? 0;
}

/** The keys written by changes after number `after`. */
export const keysAfter = async (database: Queryable, after: number): Promise<Key[]> =>
  (await pages<KeyRow & Changed>(database, KEYS, after)).map(keyOf);

/** The workspaces written by changes after number `after`. */
export const workspacesAfter = async (database: Queryable, after: number): Promise<Workspace[]> =>
  (await pages<WorkspaceRow & Changed>(database, WORKSPACES, after)).map(workspaceOf);

interface Changed {
  readonly id: string;
  readonly changed: number;
}

/** A row that changes meanwhile moves to a later page, so none is missed. */
async function pages<Row extends Changed>(
  database: Queryable,
  page: Statement,
  after: number,
): Promise<Row[]> {
  const found: Row[] = [];
  // No id is greater than U+FFFF in the order of bytes.
  let last: Changed = { changed: after, id: '\uffff' };
  for (;;) {
    const rows = await database.query<Row>(page, [last.changed, last.id]);
    found.push(...rows);
    if (rows.length < PAGE_ROWS) return found;
    last = rows.at(-1) as Row;
  }
}
