import type { Key, Workspace } from '../../../access/index.js';
import type { Database } from '../postgres/database.js';
import { ONE_SNAPSHOT } from '../postgres/one-snapshot.js';
import { type Queryable, type Statement, statement } from '../postgres/statement.js';
import {
  KEY_COLUMNS,
  type KeyRow,
  keyOf,
  WORKSPACE_COLUMNS,
  type WorkspaceRow,
  workspaceOf,
} from './directory-rows.js';
import { type Moment, type Position, positionAfter } from './history.js';

/** Rows that one statement returns. */
export const PAGE_ROWS = 5_000;

const KEYS = statement('directory-keys', pageOf('keys', KEY_COLUMNS));
const WORKSPACES = statement('directory-workspaces', pageOf('workspaces', WORKSPACE_COLUMNS));

/** Rows after a change and an id, in this order. One change can have written any number of rows. */
function pageOf(table: string, columns: string): string {
  return `SELECT ${columns}, changed FROM ${table} WHERE (changed, id) > ($1, $2)
    ORDER BY changed, id LIMIT ${PAGE_ROWS}`;
}

/** What a copy lacks. */
interface Missing extends Position {
  /** Those that changed since the moment of the copy; all of them if the database does not follow it. */
  readonly keys: readonly Key[];
  readonly workspaces: readonly Workspace[];
}

/**
 * What a copy of a moment lacks. All of it is of one snapshot of one server: rows of later changes, which a failover may
 * lose, are not among it.
 */
export function missingAfter(database: Database, moment: Moment): Promise<Missing> {
  return database.read(async (transaction) => {
    await transaction.execute(ONE_SNAPSHOT);
    const position = await positionAfter(transaction, moment);
    const after = position.follows ? moment.number : 0;
    const keys = await pages<KeyRow & Changed>(transaction, KEYS, after);
    const workspaces = await pages<WorkspaceRow & Changed>(transaction, WORKSPACES, after);
    return { ...position, keys: keys.map(keyOf), workspaces: workspaces.map(workspaceOf) };
  });
}

interface Changed {
  readonly id: string;
  readonly changed: number;
}

async function pages<Row extends Changed>(sql: Queryable, page: Statement, after: number): Promise<Row[]> {
  const found: Row[] = [];
  // No id is greater than U+FFFF in the order of bytes.
  let last: Changed = { changed: after, id: '\uffff' };
  for (;;) {
    const rows = await sql.query<Row>(page, [last.changed, last.id]);
    found.push(...rows);
    if (rows.length < PAGE_ROWS) return found;
    last = rows.at(-1) as Row;
  }
}
