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
import type { Clock } from '../../../base/index.js';
import type { Store } from '../lmdb/store.js';
import type { Value } from '../lmdb/table.js';

/** Creates a workspace without credit. Throws AccessError. */
export function createWorkspace(store: Store, clock: Clock, id: string): Workspace {
  const now = clock.now();
  const { result, record } = workspaceCreation(id, now);
  return store.change(() => {
    if (store.table('workspaces').get(id) !== undefined) throw workspaceExists(id);
    store.audit(now, record);
    return put(store, result);
  });
}

export function listWorkspaces(store: Store): Workspace[] {
  return [...store.table('workspaces').entries()].map(({ value }) => fromRow(value));
}

/** Throws AccessError if the workspace does not exist. */
export const getWorkspace = (store: Store, id: string): Workspace =>
  foundWorkspace(id, findWorkspace(store, id));

export function findWorkspace(store: Store, id: string): Workspace | undefined {
  const row = isWorkspaceId(id) ? store.table('workspaces').get(id) : undefined;
  return row && fromRow(row);
}

/** Grants credit; a negative amount takes it back. Throws AccessError. */
export function grantCredit(store: Store, clock: Clock, id: string, amount: Amount): Workspace {
  return store.change(() => {
    const workspace = getWorkspace(store, id);
    const grants = store.table('grants');
    const number = [...grants.entries(id)].length;
    const at = clock.now();
    grants.put([id, number], { at, amount: amount.toString() });
    const { result, record } = creditGrant(workspace, amount);
    store.audit(at, record);
    return put(store, result);
  });
}

/** Sets budget, models or limits. Throws AccessError. */
export function changeWorkspace(
  store: Store,
  clock: Pick<Clock, 'now'>,
  id: string,
  change: WorkspaceChange,
): Workspace {
  checkChange(change);
  return store.change(() => {
    const { result, record } = workspaceUpdate(getWorkspace(store, id), change);
    store.audit(clock.now(), record);
    return put(store, result);
  });
}

function put(store: Store, workspace: Workspace): Workspace {
  const { granted, budget, models } = workspace;
  store.table('workspaces').put([workspace.id], {
    ...workspace,
    granted: granted.toString(),
    budget: budget === null ? null : budget.toString(),
    models: models === null ? null : [...models],
  });
  return workspace;
}

function fromRow(row: Value<'workspaces'>): Workspace {
  const { granted, budget } = row;
  return { ...row, granted: BigInt(granted), budget: budget === null ? null : BigInt(budget) };
}
