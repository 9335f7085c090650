import {
  type Amount,
  byCreation,
  foundKey,
  foundWorkspace,
  isKeyId,
  isWorkspaceId,
  type Key,
  sortedName,
  type Workspace,
} from '../../../access/index.js';
import {
  KEY_COLUMNS,
  type KeyRow,
  keyOf,
  WORKSPACE_COLUMNS,
  type WorkspaceRow,
  workspaceOf,
} from '../directory/directory-rows.js';
import { type Queryable, statement } from '../postgres/statement.js';

const FIND_WORKSPACE = statement(
  'workspace-find',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = $1`,
);
const LIST_WORKSPACES = statement(
  'workspace-list',
  `SELECT ${WORKSPACE_COLUMNS} FROM workspaces ORDER BY id`,
);
const PUT_WORKSPACE = statement(
  'workspace-put',
  `INSERT INTO workspaces (id, created, granted, budget, models, bytes_per_minute, requests_per_minute, name, sorted_name,
     closed, changed)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   ON CONFLICT (id) DO UPDATE SET created = $2, granted = $3, budget = $4, models = $5, bytes_per_minute = $6,
     requests_per_minute = $7, name = $8, sorted_name = $9, closed = $10, changed = $11`,
);
const GRANT = statement(
  'workspace-grant',
  `INSERT INTO grants (workspace, number, at, amount)
   SELECT $1::text, coalesce(max(number) + 1, 0), $2::bigint, $3::numeric(38) FROM grants WHERE workspace = $1::text`,
);
const FIND_KEY = statement('key-find', `SELECT ${KEY_COLUMNS} FROM keys WHERE id = $1`);
const LIST_KEYS = statement('key-list', `SELECT ${KEY_COLUMNS} FROM keys`);
const LIST_KEYS_OF = statement('key-list-of', `SELECT ${KEY_COLUMNS} FROM keys WHERE workspace = $1`);
const PUT_KEY = statement(
  'key-put',
  `INSERT INTO keys (id, workspace, digest, created, expires, revoked, rolled_to, name, sorted_name, changed)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   ON CONFLICT (id) DO UPDATE SET expires = $5, revoked = $6, rolled_to = $7, name = $8, sorted_name = $9, changed = $10`,
);

export async function findWorkspace(database: Queryable, id: string): Promise<Workspace | undefined> {
  const [row] = isWorkspaceId(id) ? await database.query<WorkspaceRow>(FIND_WORKSPACE, [id]) : [];
  return row && workspaceOf(row);
}

/** Rejects with AccessError if the workspace does not exist. */
export const getWorkspace = async (database: Queryable, id: string): Promise<Workspace> =>
  foundWorkspace(id, await findWorkspace(database, id));

/** Sorted by id. */
export const listWorkspaces = async (database: Queryable): Promise<Workspace[]> =>
  (await database.query<WorkspaceRow>(LIST_WORKSPACES)).map(workspaceOf);

/** Adds a workspace, or replaces it. `change`: the number of the change that does so. */
export async function putWorkspace(
  transaction: Queryable,
  workspace: Workspace,
  change: number,
): Promise<void> {
  const { id, name, created, closed, granted, budget, models } = workspace;
  const limits = [workspace.bytesPerMinute, workspace.requestsPerMinute];
  const values = [id, created, granted, budget, models, ...limits, name, sortedName(name), closed, change];
  await transaction.execute(PUT_WORKSPACE, values);
}

/** Adds a grant of credit to those of a workspace. */
export async function addGrant(
  transaction: Queryable,
  workspace: string,
  at: number,
  amount: Amount,
): Promise<void> {
  await transaction.execute(GRANT, [workspace, at, amount]);
}

export async function findKey(database: Queryable, id: string): Promise<Key | undefined> {
  const [row] = isKeyId(id) ? await database.query<KeyRow>(FIND_KEY, [id]) : [];
  return row && keyOf(row);
}

/** Rejects with AccessError if the key does not exist. */
export const getKey = async (database: Queryable, id: string): Promise<Key> =>
  foundKey(id, await findKey(database, id));

/** The keys of a workspace, or of all, oldest first. */
export async function listKeys(database: Queryable, workspace?: string): Promise<Key[]> {
  const rows =
    workspace === undefined
      ? await database.query<KeyRow>(LIST_KEYS)
      : await database.query<KeyRow>(LIST_KEYS_OF, [workspace]);
  return rows.map(keyOf).sort(byCreation);
}

/** Adds a key, or replaces it. `change`: the number of the change that does so. */
export async function putKey(transaction: Queryable, key: Key, change: number): Promise<void> {
  const { id, workspace, name, digest, created, expires, revoked, rolledTo } = key;
  const values = [id, workspace, digest, created, expires, revoked, rolledTo, name, sortedName(name), change];
  await transaction.execute(PUT_KEY, values);
}
