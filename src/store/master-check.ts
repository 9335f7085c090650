import { type Place, seal, unseal } from './sealing.js';
import type { Store } from './store.js';

/** Encrypted by the master key when the folder is first used, to recognize a wrong key later. */
const CHECK = Buffer.from('decider');
const NAME = 'master';

/** Whether the folder has been used with a master key. */
export const hasMasterKey = (store: Store): boolean => checkOf(store) !== undefined;

/** Whether `master` is the key that the folder's data keys are encrypted with. */
export function isMasterKey(store: Store, master: Buffer): boolean {
  try {
    return unseal(master, placeIn(store), Buffer.from(checkOf(store) ?? '', 'base64')).equals(CHECK);
  } catch {
    return false;
  }
}

/** Records the key that data keys are encrypted with. Inside `Store.change` only. */
export function putMasterKey(store: Store, master: Buffer): void {
  store.table('meta').put([NAME], { check: seal(master, placeIn(store), CHECK).toString('base64') });
}

const checkOf = (store: Store) => store.table('meta').get(NAME)?.check;

const placeIn = (store: Store): Place => ({ table: 'meta', key: store.table('meta').key(NAME), name: NAME });
