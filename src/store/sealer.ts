import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from './data-folder.js';
import { hasMasterKey, isMasterKey, putMasterKey } from './master-check.js';
import { masterKey, NEXT_KEY_FILE } from './master-key.js';
import { KEY_BYTES, type Place, placeOf, seal, unseal } from './sealing.js';
import type { Store } from './store.js';
import type { Table } from './table.js';
import type { RawWrite } from './writer-thread.js';

/**
 * Manages data keys, one per owner, encrypted by the master key. Deleting an owner's data key makes all its values
 * unreadable, wherever the disk still has them.
 */
export class Sealer {
  private readonly master: Buffer;
  private readonly keys: Table<'data_keys'>;

  /** `given`: the master key as 64 hexadecimal digits, or '' to use the folder's file. Throws StoreError. */
  constructor(store: Store, given: string) {
    this.keys = store.table('data_keys');
    // In a transaction: of two processes at the first start, one creates the key and the other reads it.
    if (!hasMasterKey(store)) {
      store.change(() => {
        if (!hasMasterKey(store)) putMasterKey(store, masterKey(store.folder, given, true));
      });
    }
    this.master = masterKey(store.folder, given, false);
    if (!isMasterKey(store, this.master)) throw wrongKey(store.folder);
  }

  /** A new data key, and the write that stores it for its owner. */
  newDataKey(owner: string): { readonly key: Buffer; readonly write: RawWrite } {
    const key = randomBytes(KEY_BYTES);
    return { key, write: this.keys.write([owner], seal(this.master, dataKeyPlace(owner), key)) };
  }

  /** An owner's data key; undefined if it has none. Throws StoreError if it is damaged. */
  dataKey(owner: string): Buffer | undefined {
    const sealed = this.keys.get(owner);
    return sealed && unseal(this.master, dataKeyPlace(owner), sealed);
  }
}

export const dataKeyPlace = (owner: string): Place => placeOf('data_keys', owner);

function wrongKey(folder: string): StoreError {
  const changing = existsSync(join(folder, NEXT_KEY_FILE));
  return new StoreError(
    changing
      ? `A change of the master key of the data folder ${folder} was interrupted. Run: decider rekey`
      : `The master key is not the one that the data folder ${folder} was encrypted with.`,
  );
}
