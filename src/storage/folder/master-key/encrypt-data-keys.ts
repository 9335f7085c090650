import { type Clock, StoreError, systemClock } from '../../../base/index.js';
import { seal, unseal } from '../../../sealing/index.js';
import type { Store } from '../lmdb/store.js';
import { putMasterKey } from './master-key.js';
import { dataKeyPlace } from './sealer.js';

/**
 * Encrypts all data keys with another master key, in one transaction. Returns their number. The transaction only stores
 * what was encrypted before it, so that other writers wait for a short time. Throws StoreError.
 */
export function encryptDataKeys(
  store: Store,
  old: Buffer,
  next: Buffer,
  clock: Pick<Clock, 'now'> = systemClock,
): number {
  const table = store.table('data_keys');
  const encrypted = new Map<string, { readonly from: Buffer; readonly to: Buffer }>();
  let bytes = 0;
  for (const { key, value } of table.entries()) {
    const owner = String(key[0]);
    encrypted.set(owner, { from: value, to: encryptAgain(store, owner, value, old, next) });
    // Every page of the table is written again, and may be half empty.
    bytes += 2 * (owner.length + value.length + 16);
  }
  let count = 0;
  store.change(() => {
    for (const { key, value } of [...table.entries()]) {
      const owner = String(key[0]);
      const found = encrypted.get(owner);
      table.put(key, found?.from.equals(value) ? found.to : encryptAgain(store, owner, value, old, next));
      count += 1;
    }
    putMasterKey(store, next);
    store.audit(clock.now(), { action: 'master_key.replace', after: { data_keys: String(count) } });
  }, bytes);
  return count;
}

/** A data key that does not open is not left out: the new key would make it unreadable for good. */
function encryptAgain(store: Store, owner: string, value: Buffer, old: Buffer, next: Buffer): Buffer {
  const place = dataKeyPlace(owner);
  try {
    return seal(next, place, unseal(old, place, value));
  } catch (error) {
    throw new StoreError(
      `${(error as Error).message} The master key was not changed. Restore a backup, or ${removalOf(store, owner)}, and repeat this.`,
    );
  }
}

/** How the owner of a data key is removed, in words. */
function removalOf(store: Store, owner: string): string {
  for (const { key, value } of store.table('tasks').checkedPart([], Number.MAX_SAFE_INTEGER)) {
    if (value?.id === owner) return `delete the task ${key[1]} of the workspace ${key[0]}`;
  }
  return `let the server delete ${owner}, about 15 days after its submission`;
}
