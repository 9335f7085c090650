import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../../base/index.js';
import {
  masterCheck,
  masterKey,
  NEXT_KEY_FILE,
  opensMasterCheck,
  readKeyFile,
} from '../../../sealing/index.js';
import { dataFileOf } from '../../data-folder/data-folder.js';
import { damaged } from '../lmdb/data-file.js';
import type { Store } from '../lmdb/store.js';

/** Whether the folder has been used with a master key. */
export const hasMasterKey = (store: Store): boolean => checkOf(store) !== undefined;

/**
 * Throws StoreError if a folder without a check of its master key has data keys, which would be lost with a new master key:
 * the check is written before them.
 */
export function requireNoDataKeys(store: Store): void {
  if (store.table('data_keys').keys().next().done) return;
  throw damaged(dataFileOf(store.folder), 'the check of the master key is lost');
}

/** Whether `master` is the key that the folder's data keys are encrypted with. */
export const isMasterKey = (store: Store, master: Buffer): boolean =>
  opensMasterCheck(master, checkOf(store) ?? '');

/** What the operator must do after `decider rekey --new-key`, while the configuration has another key. */
export const CONFIGURE_NEW_KEY =
  'master_key is not the current master key. Configure the new one (the file of decider rekey --new-key), then run: decider reload, or restart the server, if it is a variable (DECIDER_MASTER_KEY)';

/** Throws StoreError unless `given`, or the folder's file if it is '', is the key that data keys are encrypted with. */
export function checkMasterKey(store: Store, given: string): void {
  if (isMasterKey(store, masterKey(store.folder, given, false))) return;
  throw given !== '' && isNextKey(store) ? new StoreError(CONFIGURE_NEW_KEY) : wrongKey(store.folder);
}

/** Whether the file of the new key is there and has the key that data keys are encrypted with. Throws StoreError. */
export function isNextKey(store: Store): boolean {
  const next = readNext(join(store.folder, NEXT_KEY_FILE));
  return next !== null && isMasterKey(store, next);
}

/** Records the key that data keys are encrypted with. Inside `Store.change` only. */
export function putMasterKey(store: Store, master: Buffer): void {
  store.table('meta').put(['master'], { check: masterCheck(master) });
}

/**
 * The key that the folder's data keys are encrypted with, also while another process changes it. `given`: the configured
 * key as 64 hexadecimal digits, or ''. Throws StoreError.
 */
export function findMasterKey(store: Store, given: string): Buffer {
  for (let tries = 2; tries > 0; tries -= 1) {
    for (const key of candidates(store.folder, given)) if (isMasterKey(store, key)) return key;
    // A change may have been committed after what this thread reads.
    store.refresh();
  }
  throw wrongKey(store.folder);
}

const wrongKey = (folder: string): StoreError =>
  new StoreError(`The master key is not the one that the data folder ${folder} was encrypted with.`);

function* candidates(folder: string, given: string): Generator<Buffer> {
  yield masterKey(folder, given, false);
  const next = readNext(join(folder, NEXT_KEY_FILE));
  if (next !== null) yield next;
  // It may have taken its place in between.
  yield masterKey(folder, given, false);
}

function readNext(file: string): Buffer | null {
  try {
    return readKeyFile(file);
  } catch (error) {
    if (existsSync(file)) throw error;
    return null;
  }
}

const checkOf = (store: Store) => store.table('meta').get('master')?.check;
