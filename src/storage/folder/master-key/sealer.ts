import { masterKey, type Place, placeOf, randomDataKey, seal, unseal } from '../../../sealing/index.js';
import type { Store } from '../lmdb/store.js';
import type { Table } from '../lmdb/table.js';
import type { RawWrite } from '../lmdb/writes.js';
import { findMasterKey, hasMasterKey, isMasterKey, putMasterKey, requireNoDataKeys } from './master-key.js';

/** A new data key of an owner. */
interface DataKey {
  readonly key: Buffer;
  /** See `Sealer.keyWrite`. */
  write(): RawWrite;
}

/**
 * Manages data keys, one per owner, encrypted by the master key. Deleting an owner's data key makes all its values
 * unreadable, with one exception: the master key can still decrypt the deleted key in a page that LMDB has not reused, and in
 * earlier backups. Replacing the master key and destroying the earlier one ends that.
 */
export class Sealer {
  private master: Buffer;
  /** During a change of the master key: the new one. */
  private next: Buffer | null = null;
  private change: Promise<void> | null = null;
  private readonly keys: Table<'data_keys'>;

  /** `given`: the master key as 64 hexadecimal digits, or '' to use the folder's file. Throws StoreError. */
  constructor(
    private readonly store: Store,
    given: string,
  ) {
    this.keys = store.table('data_keys');
    // In a transaction: of two processes at the first start, one creates the key and the other reads it.
    if (!hasMasterKey(store)) {
      requireNoDataKeys(store);
      store.change(() => {
        if (!hasMasterKey(store)) putMasterKey(store, masterKey(store.folder, given, true));
      });
    }
    this.master = findMasterKey(store, given);
  }

  newDataKey(owner: string): DataKey {
    const key = randomDataKey();
    return { key, write: () => this.keyWrite(owner, key) };
  }

  /** An owner's data key; undefined if it has none. Throws StoreError if it is damaged. */
  dataKey(owner: string): Buffer | undefined {
    const sealed = this.keys.get(owner);
    if (sealed === undefined) return undefined;
    const place = dataKeyPlace(owner);
    if (this.next !== null) {
      try {
        return unseal(this.next, place, sealed);
      } catch {
        // The transaction of the change is not committed yet.
      }
    }
    return unseal(this.master, place, sealed);
  }

  /** The change of the master key in progress, which never rejects; null if there is none. */
  get changing(): Promise<void> | null {
    return this.change;
  }

  /**
   * Changes the master key while data keys are read and created; one change at a time. `encrypt` encrypts the stored data
   * keys with `next` instead of `old`, in one transaction. If it fails, the key that the store was left with is used.
   */
  async changeMaster(next: Buffer, encrypt: (old: Buffer) => Promise<number>): Promise<number> {
    const change = this.encryptKeys(next, encrypt);
    this.change = change.then(
      () => {},
      () => {},
    );
    try {
      return await change;
    } finally {
      this.change = null;
    }
  }

  private async encryptKeys(next: Buffer, encrypt: (old: Buffer) => Promise<number>): Promise<number> {
    this.next = next;
    try {
      // Writes run in the order of the calls: the data keys written so far are on the disk after this one.
      await this.store.probe();
      return await encrypt(this.master);
    } finally {
      this.store.refresh();
      // `encrypt` may have failed after its transaction.
      if (isMasterKey(this.store, next)) this.master = next;
      this.next = null;
    }
  }

  /**
   * The write that stores an owner's new data key. Commit it in the same turn of the event loop, while no change of the
   * master key is in progress: later it may be encrypted with an earlier master key. Throws Error during a change.
   */
  keyWrite(owner: string, key: Buffer): RawWrite {
    if (this.change !== null) throw new Error('the master key is being changed');
    return this.keys.write([owner], seal(this.master, dataKeyPlace(owner), key));
  }
}

export const dataKeyPlace = (owner: string): Place => placeOf('data_keys', owner);
