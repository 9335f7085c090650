// Administrative changes of a data folder, in one turn of the event loop.
import {
  CHANGES,
  type Key,
  type NewKey,
  type Workspace,
  type WorkspaceChange,
} from '../../../src/access/index.js';
import { keyCreation, type RolledKey } from '../../../src/access/key-changes.js';
import type { Clock } from '../../../src/base/index.js';
import { makeChange } from '../../../src/storage/folder/administration/change.js';
import { getWorkspace } from '../../../src/storage/folder/administration/rows.js';
import type { Store } from '../../../src/storage/folder/index.js';

type Now = Pick<Clock, 'now'>;

export const createWorkspace = (store: Store, clock: Now, id: string): Workspace =>
  makeChange(store, clock, CHANGES.createWorkspace(id));

export const changeWorkspace = (store: Store, clock: Now, id: string, change: WorkspaceChange): Workspace =>
  makeChange(store, clock, CHANGES.changeWorkspace(id, change));

export const closeWorkspace = (store: Store, clock: Now, id: string): Workspace =>
  makeChange(store, clock, CHANGES.closeWorkspace(id));

export const reopenWorkspace = (store: Store, clock: Now, id: string): Workspace =>
  makeChange(store, clock, CHANGES.reopenWorkspace(id));

export const grantCredit = (store: Store, clock: Now, id: string, amount: bigint): Workspace =>
  makeChange(store, clock, CHANGES.grantCredit(id, amount));

/** `expires`: an instant; null: never; absent: the default. */
export function createKey(store: Store, clock: Now, workspace: string, expires?: number | null): NewKey {
  getWorkspace(store, workspace);
  return makeChange(store, clock, { decide: (_, now) => keyCreation(workspace, expires, now) });
}

export const rollKey = (store: Store, clock: Now, id: string): RolledKey =>
  makeChange(store, clock, CHANGES.rollKey(id));

export const revokeKey = (store: Store, clock: Now, id: string): Key =>
  makeChange(store, clock, CHANGES.revokeKey(id));
