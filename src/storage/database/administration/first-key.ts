import { type Amount, DEFAULT_WORKSPACE } from '../../../access/index.js';
import type { Database } from '../postgres/database.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { inChange } from './change.js';
import { createKey } from './keys.js';
import { createWorkspace, grantCredit } from './workspaces.js';

const IS_EMPTY = statement('is-empty', 'SELECT NOT EXISTS (SELECT FROM workspaces) AS "isEmpty"');

/** Whether the database has no workspace. The tables must exist. */
export async function isEmptyDatabase(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ isEmpty: boolean }>(IS_EMPTY);
  return row?.isEmpty === true;
}

/**
 * Creates a workspace with credit and a key if the database has no workspace, and resolves with the token; else with null.
 * Of several nodes that start at the same time, one creates them. Rejects with DatabaseUnavailable.
 */
export function createFirstKey(database: Database, credit: Amount): Promise<string | null> {
  return inChange(database, 'server', async (change) => {
    if (!(await isEmptyDatabase(change.transaction))) return null;
    await createWorkspace(change, DEFAULT_WORKSPACE);
    await grantCredit(change, DEFAULT_WORKSPACE, credit);
    return (await createKey(change, DEFAULT_WORKSPACE)).token;
  });
}
