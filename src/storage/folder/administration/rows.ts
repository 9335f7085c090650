import {
  type Amount,
  byCreation,
  foundKey,
  foundWorkspace,
  isKeyId,
  isWorkspaceId,
  type Key,
  type StoredBatch,
  type Workspace,
} from '../../../access/index.js';
import type { Store } from '../lmdb/store.js';
import type { Value } from '../lmdb/table.js';
import { entriesOfKey, entriesOfWorkspace, replaceEntries } from './list-entries.js';

export function findWorkspace(store: Store, id: string): Workspace | undefined {
  const row = isWorkspaceId(id) ? store.table('workspaces').get(id) : undefined;
  return row && workspaceOf(row);
}

/** Throws AccessError if the workspace does not exist. */
export const getWorkspace = (store: Store, id: string): Workspace =>
  foundWorkspace(id, findWorkspace(store, id));

/** Sorted by id. */
export const listWorkspaces = (store: Store): Workspace[] =>
  [...store.table('workspaces').entries()].map(({ value }) => workspaceOf(value));

/** Adds a workspace, or replaces it, also in the lists. */
export function putWorkspace(store: Store, workspace: Workspace): void {
  const before = findWorkspace(store, workspace.id);
  replaceEntries(store, before ? entriesOfWorkspace(before) : [], entriesOfWorkspace(workspace));
  const { granted, budget, models } = workspace;
  store.table('workspaces').put([workspace.id], {
    ...workspace,
    granted: granted.toString(),
    budget: budget === null ? null : budget.toString(),
    models: models === null ? null : [...models],
  });
}

/** Adds a grant of credit to those of a workspace. */
export function addGrant(store: Store, workspace: string, at: number, amount: Amount): void {
  const grants = store.table('grants');
  const number = [...grants.entries(workspace)].length;
  grants.put([workspace, number], { at, amount: amount.toString() });
}

export const findKey = (store: Store, id: string): Key | undefined =>
  isKeyId(id) ? store.table('keys').get(id) : undefined;

/** Throws AccessError if the key does not exist. */
export const getKey = (store: Store, id: string): Key => foundKey(id, findKey(store, id));

/** The keys of a workspace, or of all, oldest first. */
export function listKeys(store: Store, workspace?: string): Key[] {
  const keys = [...store.table('keys').entries()].map(({ value }) => value);
  return keys.filter((key) => workspace === undefined || key.workspace === workspace).sort(byCreation);
}

/** Adds a key, or replaces it, also in the lists. */
export function putKey(store: Store, key: Key): void {
  const before = findKey(store, key.id);
  replaceEntries(store, before ? entriesOfKey(before) : [], entriesOfKey(key));
  store.table('keys').put([key.id], key);
  store.table('digests').put([key.digest], key.id);
}

function workspaceOf(row: Value<'workspaces'>): Workspace {
  const { granted, budget } = row;
  return { ...row, granted: BigInt(granted), budget: budget === null ? null : BigInt(budget) };
}

/** A batch, which counts as deleted when it was erased, although the server has not removed it yet. */
export function findBatch(store: Store, id: string): StoredBatch | undefined {
  const row = store.table('batches').get(id);
  if (row === undefined) return undefined;
  const { workspace, key, state } = row;
  const isErased = store.table('batch_erasures').get(id) !== undefined;
  return { id, workspace, key, state, deleted: row.deleted || isErased };
}

/** Deletes the data key of a batch, and has the server remove the rest; see `BatchErasures`. */
export function eraseBatch(store: Store, id: string, at: number): void {
  store.table('batch_erasures').put([id], { at });
  store.table('data_keys').remove([id]);
  store.table('batch_webhooks').remove([id]);
}
