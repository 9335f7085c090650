import { type Amount, CHANGES, DEFAULT_WORKSPACE } from '../../../access/index.js';
import type { Database } from '../postgres/database.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { inChange, makeChange } from './change.js';

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
  return inChange(database, 'server', async (open) => {
    if (!(await isEmptyDatabase(open.transaction))) return null;
    await makeChange(open, CHANGES.createWorkspace(DEFAULT_WORKSPACE));
    await makeChange(open, CHANGES.grantCredit(DEFAULT_WORKSPACE, credit));
    return (await makeChange(open, CHANGES.createKey(DEFAULT_WORKSPACE))).token;
  });
}
