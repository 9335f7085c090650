import { type Queryable, statement } from '../postgres/index.js';

const IS_EMPTY = statement('is-empty', 'SELECT NOT EXISTS (SELECT FROM workspaces) AS "isEmpty"');

/** Whether the database has no workspace. The tables must exist. */
export async function isEmptyDatabase(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ isEmpty: boolean }>(IS_EMPTY);
  return row?.isEmpty === true;
}
