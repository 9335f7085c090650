import { randomBytes } from 'node:crypto';
import { StoreError } from './data-folder.js';
import { masterKey } from './master-key.js';
import { KEY_BYTES, type Place, seal, unseal } from './sealing.js';
import type { Store } from './store.js';
import type { Table } from './table.js';
import type { RawWrite } from './writer-thread.js';

/** Encrypted by the master key when the folder is first used, to recognize a wrong key later. */
const CHECK = Buffer.from('decider');

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
    const meta = store.table('meta');
    const place: Place = { table: 'meta', key: meta.key('master'), name: 'master' };
    const known = () => meta.get('master')?.check;
    // In a transaction: of two processes at the first start, one creates the key and the other reads it.
    if (known() === undefined) {
      store.change(() => {
        if (known() !== undefined) return;
        const master = masterKey(store.folder, given, true);
        meta.put(['master'], { check: seal(master, place, CHECK).toString('base64') });
      });
    }
    this.master = masterKey(store.folder, given, false);
    if (!opens(this.master, place, Buffer.from(known() ?? '', 'base64'))) {
      throw new StoreError(
        `The master key is not the one that the data folder ${store.folder} was encrypted with.`,
      );
    }
  }

  /** A new data key, and the write that stores it for its owner. */
  newDataKey(owner: string): { readonly key: Buffer; readonly write: RawWrite } {
    const key = randomBytes(KEY_BYTES);
    return { key, write: this.keys.write([owner], seal(this.master, this.placeOf(owner), key)) };
  }

  /** An owner's data key; undefined if it has none. Throws StoreError if it is damaged. */
  dataKey(owner: string): Buffer | undefined {
    const sealed = this.keys.get(owner);
    return sealed && unseal(this.master, this.placeOf(owner), sealed);
  }

  private placeOf(owner: string): Place {
    return { table: 'data_keys', key: this.keys.key(owner), name: owner };
  }
}

function opens(key: Buffer, place: Place, sealed: Buffer): boolean {
  try {
    return unseal(key, place, sealed).equals(CHECK);
  } catch {
    return false;
  }
}
