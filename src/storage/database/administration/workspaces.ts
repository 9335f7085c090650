import {
  type Amount,
  checkChange,
  creditGrant,
  foundWorkspace,
  isWorkspaceId,
  type Workspace,
  type WorkspaceChange,
  workspaceCreation,
  workspaceExists,
  workspaceUpdate,
} from '../../../access/index.js';
import { WORKSPACE_COLUMNS, type WorkspaceRow, workspaceOf } from '../directory/rows.js';
import { type Queryable, statement } from '../postgres/statement.js';
import type { Change } from './change.js';

const FIND = statement('workspace-find', `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = $1`);
const LIST = statement('workspace-list', `SELECT ${WORKSPACE_COLUMNS} FROM workspaces ORDER BY id`);
const INSERT = statement(
  'workspace-insert',
  `INSERT INTO workspaces (id, created, granted, budget, models, bytes_per_minute, requests_per_minute, changed)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`,
);
const UPDATE = statement(
  'workspace-update',
  `UPDATE workspaces SET created = $2, granted = $3, budget = $4, models = $5, bytes_per_minute = $6,
     requests_per_minute = $7, changed = $8 WHERE id = $1`,
);
const GRANT = statement(
  'workspace-grant',
  `INSERT INTO grants (workspace, number, at, amount)
   SELECT $1::text, coalesce(max(number) + 1, 0), $2::bigint, $3::numeric(38) FROM grants WHERE workspace = $1::text`,
);

/** Throws AccessError if the workspace does not exist. */
export async function getWorkspace(database: Queryable, id: string): Promise<Workspace> {
  const [row] = isWorkspaceId(id) ? await database.query<WorkspaceRow>(FIND, [id]) : [];
  return foundWorkspace(id, row && workspaceOf(row));
}

/** Sorted by id. */
export const listWorkspaces = async (database: Queryable): Promise<Workspace[]> =>
  (await database.query<WorkspaceRow>(LIST)).map(workspaceOf);

/** Creates a workspace without credit. Throws AccessError. */
export async function createWorkspace(change: Change, id: string): Promise<Workspace> {
  const { result, record } = workspaceCreation(id, change.now);
  const added = await change.transaction.execute(INSERT, valuesOf(result, change));
  if (added === 0) throw workspaceExists(id);
  await change.audit(record);
  return result;
}

/** Grants credit; a negative amount takes it back. Throws AccessError. */
export async function grantCredit(change: Change, id: string, amount: Amount): Promise<Workspace> {
  const { result, record } = creditGrant(await getWorkspace(change.transaction, id), amount);
  await change.transaction.execute(GRANT, [id, change.now, amount]);
  return put(change, result, record);
}

/** Sets budget, models or limits. Throws AccessError. */
export async function changeWorkspace(
  change: Change,
  id: string,
  settings: WorkspaceChange,
): Promise<Workspace> {
  checkChange(settings);
  const { result, record } = workspaceUpdate(await getWorkspace(change.transaction, id), settings);
  return put(change, result, record);
}

async function put(
  change: Change,
  workspace: Workspace,
  record: Parameters<Change['audit']>[0],
): Promise<Workspace> {
  await change.transaction.execute(UPDATE, valuesOf(workspace, change));
  await change.audit(record);
  return workspace;
}

const valuesOf = (workspace: Workspace, { number }: Change): unknown[] => {
  const { id, created, granted, budget, models, bytesPerMinute, requestsPerMinute } = workspace;
  return [id, created, granted, budget, models, bytesPerMinute, requestsPerMinute, number];
};
