// The thread that encrypts the data keys of a served folder with another master key.
import { workerData } from 'node:worker_threads';
import { Store } from '../lmdb/store.js';
import { encryptDataKeys } from './encrypt-data-keys.js';

/** Both keys as hexadecimal digits. Returns the number of data keys. Throws StoreError. */
export async function encrypt({ old, next }: { old: string; next: string }): Promise<number> {
  const store = new Store(workerData as string);
  try {
    return store.as('server', () =>
      encryptDataKeys(store, Buffer.from(old, 'hex'), Buffer.from(next, 'hex')),
    );
  } finally {
    await store.close();
  }
}
