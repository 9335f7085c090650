import type { Store } from '../lmdb/store.js';
import { entriesOfKey, entriesOfWorkspace, replaceEntries, verifyLists } from './list-entries.js';
import { listKeys, listWorkspaces } from './rows.js';

/** Bytes of the entries of a workspace or a key, and of the pages that they share, about. */
const ENTRIES_BYTES = 2 * 1024;

/** Like `fillLists`, in a transaction of its own. Throws StoreError. */
export function fillListsAlone(store: Store): void {
  const items = [...store.table('workspaces').keys()].length + [...store.table('keys').keys()].length;
  store.change(() => fillLists(store), items * ENTRIES_BYTES);
}

/** Adds all workspaces and keys to the lists, which are empty. Inside `Store.change` only. Throws StoreError. */
export function fillLists(store: Store): void {
  for (const workspace of listWorkspaces(store)) replaceEntries(store, [], entriesOfWorkspace(workspace));
  for (const key of listKeys(store)) replaceEntries(store, [], entriesOfKey(key));
}

/** A sentence for each workspace and key that a list lacks, and for entries that do not belong there. Throws StoreError. */
export function problemsOfLists(store: Store): readonly string[] {
  const problems: string[] = [];
  verifyLists(store, listWorkspaces(store), listKeys(store), (problem) => problems.push(problem));
  return problems;
}
