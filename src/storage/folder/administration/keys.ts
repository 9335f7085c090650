import {
  byCreation,
  foundKey,
  isKeyId,
  type Key,
  keyCreation,
  keyRevocation,
  keyRoll,
  type NewKey,
  type RolledKey,
} from '../../../access/index.js';
import type { Clock } from '../../../base/index.js';
import type { Store } from '../lmdb/store.js';
import { getWorkspace } from './workspaces.js';

/** Creates a key. `expires` null: never; absent: after DEFAULT_LIFETIME_DAYS. Throws AccessError. */
export function createKey(store: Store, clock: Clock, workspace: string, expires?: number | null): NewKey {
  const now = clock.now();
  const { result, record } = keyCreation(workspace, expires, now);
  return store.change(() => {
    getWorkspace(store, workspace);
    putNew(store, result.key);
    store.audit(now, record);
    return result;
  });
}

/** The keys of a workspace, or of all, oldest first. */
export function listKeys(store: Store, workspace?: string): Key[] {
  const keys = [...store.table('keys').entries()].map(({ value }) => value);
  return keys.filter((key) => workspace === undefined || key.workspace === workspace).sort(byCreation);
}

/** Creates a successor of a key; see `keyRoll`. Throws AccessError. */
export function rollKey(store: Store, clock: Clock, id: string): RolledKey {
  return store.change(() => {
    const now = clock.now();
    const { result, record } = keyRoll(getKey(store, id), now);
    putNew(store, result.key);
    store.audit(now, record);
    store.table('keys').put([id], result.rolled);
    return result;
  });
}

/** Revokes a key, at once and permanently. Revoking it again changes nothing. Throws AccessError. */
export function revokeKey(store: Store, clock: Clock, id: string): Key {
  return store.change(() => {
    const now = clock.now();
    const key = getKey(store, id);
    const revocation = keyRevocation(key, now);
    if (revocation === null) return key;
    store.audit(now, revocation.record);
    store.table('keys').put([id], revocation.result);
    return revocation.result;
  });
}

/** Throws AccessError if the key does not exist. */
export const getKey = (store: Store, id: string): Key =>
  foundKey(id, isKeyId(id) ? store.table('keys').get(id) : undefined);

function putNew(store: Store, key: Key): void {
  store.table('keys').put([key.id], key);
  store.table('digests').put([key.digest], key.id);
}
