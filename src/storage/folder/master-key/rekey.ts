import { createHash } from 'node:crypto';
import { existsSync, lstatSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { entryFile, StoreError, syncFolder, ThreadPool } from '../../../base/index.js';
import {
  createKeyFile,
  MASTER_KEY_FILE,
  masterKey,
  NEXT_KEY_FILE,
  readKeyFile,
} from '../../../sealing/index.js';
import { serveAlone } from '../../data-folder/serving.js';
import type { Rekeyed } from '../../storage.js';
import { openStore } from '../lmdb/format.js';
import type { Store } from '../lmdb/store.js';
import { encryptDataKeys } from './encrypt-data-keys.js';
import { CONFIGURE_NEW_KEY, findMasterKey, hasMasterKey, isMasterKey, isNextKey } from './master-key.js';
import type { Sealer } from './sealer.js';

/** Encrypts all data keys with `next` instead of `old`, in one transaction. Resolves with their number. */
type Encrypt = (old: Buffer, next: Buffer) => Promise<number>;

/**
 * Replaces the master key of a data folder that no process serves. A process that ends at any moment leaves a folder that
 * opens with the old or the new key; the next run or the next start of the server finishes the change.
 *
 * @param given the configured master key as 64 hexadecimal digits; '' if the folder has a file
 * @param newKeyFile a file with the new key, required if `given` is not ''; null: a new key is generated
 * @throws StoreError
 */
export async function rekey(folder: string, given: string, newKeyFile: string | null): Promise<Rekeyed> {
  // A server that starts now would read the old key.
  const leave = serveAlone(folder);
  try {
    const store = openStore(folder);
    try {
      const encrypt: Encrypt = async (old, next) => encryptDataKeys(store, old, next);
      return await replaceMasterKey(store, given, newKeyFile, encrypt);
    } finally {
      await store.close();
    }
  } finally {
    leave();
  }
}

/**
 * Like `rekey`, in the process that serves the folder and uses `sealer`. Data keys are readable at every moment; new ones
 * have to wait until `sealer.changing` is null.
 */
export function rekeyServed(
  store: Store,
  sealer: Sealer,
  given: string,
  newKeyFile: string | null,
): Promise<Rekeyed> {
  return replaceMasterKey(store, given, newKeyFile, (_, next) =>
    sealer.changeMaster(next, (old) => encryptOnThread(store.folder, old, next)),
  );
}

/**
 * Finishes a change of the master key that was interrupted after its transaction, and removes what is left of one that the
 * configuration has followed. For the process that serves the folder. Returns what the operator must still do, or null.
 * Throws StoreError.
 */
export function finishRekey(store: Store, given: string): string | null {
  const { folder } = store;
  const nextFile = join(folder, NEXT_KEY_FILE);
  if (lstatSync(nextFile, { throwIfNoEntry: false }) === undefined || !hasMasterKey(store)) return null;
  showLastCommit(store);
  if (isMasterKey(store, masterKey(folder, given, false))) {
    removeKeyLink(folder);
    return null;
  }
  if (!isNextKey(store)) return null;
  if (given !== '') return CONFIGURE_NEW_KEY;
  placeNextKey(folder);
  return null;
}

/**
 * Removes the link to the file of the new key, if there is one. Call it when the new key is configured, and while no change
 * is in progress. Throws Error.
 */
export function removeKeyLink(folder: string): void {
  const file = join(folder, NEXT_KEY_FILE);
  if (isLink(file)) rmSync(file);
}

const isLink = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** If a process was killed right after its commit, LMDB shows that commit only after the next write. */
const showLastCommit = (store: Store): void => store.change(() => {});

async function replaceMasterKey(
  store: Store,
  given: string,
  newKeyFile: string | null,
  encrypt: Encrypt,
): Promise<Rekeyed> {
  if (!hasMasterKey(store)) {
    throw new StoreError(
      `The data folder ${store.folder} has no master key yet; the first start creates it.`,
    );
  }
  showLastCommit(store);
  return newKeyFile === null
    ? replaceFile(store, given, encrypt)
    : replaceGiven(store, given, resolve(newKeyFile), encrypt);
}

/** Generates a key and puts it in the place of `master.key`, which is kept under another name for earlier backups. */
async function replaceFile(store: Store, given: string, encrypt: Encrypt): Promise<Rekeyed> {
  if (given !== '') {
    throw new StoreError(
      'The master key is configured (master_key). Name a file with the new one: --new-key FILE.',
    );
  }
  const { folder } = store;
  const nextFile = join(folder, NEXT_KEY_FILE);
  const current = masterKey(folder, '', false);
  if (!isMasterKey(store, current)) {
    findMasterKey(store, '');
    return { dataKeys: null, earlier: placeNextKey(folder) };
  }
  // Left from the time when the key was configured.
  removeKeyLink(folder);
  // Made by an interrupted run.
  const next = existsSync(nextFile) ? readKeyFile(nextFile) : createKeyFile(nextFile);
  // Before the transaction: afterwards nothing is written but a name.
  keepEarlier(folder, current);
  const dataKeys = await encrypt(current, next);
  return { dataKeys, earlier: placeNextKey(folder) };
}

/** Stores a copy of the current key for earlier backups. Returns its file. */
function keepEarlier(folder: string, current: Buffer): string {
  const digest = createHash('sha256').update(current).digest('hex');
  const earlier = join(folder, `${MASTER_KEY_FILE}.${digest.slice(0, 8)}`);
  if (!existsSync(earlier)) createKeyFile(earlier, current);
  return earlier;
}

/** Puts the new key, which the data keys are encrypted with, in the place of the current one. Returns the latter's copy. */
function placeNextKey(folder: string): string {
  const earlier = keepEarlier(folder, masterKey(folder, '', false));
  const [next, file] = [join(folder, NEXT_KEY_FILE), join(folder, MASTER_KEY_FILE)];
  if (isLink(next)) {
    // The key was configured; its file is outside the folder.
    createKeyFile(file, readKeyFile(next));
    rmSync(next);
  } else {
    renameSync(next, file);
    syncFolder(folder);
  }
  return earlier;
}

/**
 * Until the configuration has the new key, a link names its file: a server that starts with the earlier key finds it
 * there. The key itself is not written to the folder.
 */
async function replaceGiven(
  store: Store,
  given: string,
  newKeyFile: string,
  encrypt: Encrypt,
): Promise<Rekeyed> {
  if (given === '') {
    throw new StoreError(
      `--new-key is for a configured master key (master_key). Leave it out: ${MASTER_KEY_FILE} is replaced by a generated key.`,
    );
  }
  const next = readKeyFile(newKeyFile);
  const current = masterKey(store.folder, given, false);
  if (next.equals(current)) {
    throw new StoreError(`${newKeyFile} has the current master key. Generate a new one.`);
  }
  if (isMasterKey(store, next)) return { dataKeys: null, earlier: null };
  if (!isMasterKey(store, current)) {
    throw new StoreError(
      `master_key is not the key that the data folder ${store.folder} is encrypted with. If an earlier run has changed the key, configure that new key first.`,
    );
  }
  const link = join(store.folder, NEXT_KEY_FILE);
  rmSync(link, { force: true });
  symlinkSync(newKeyFile, link);
  syncFolder(store.folder);
  return { dataKeys: await encrypt(current, next), earlier: null };
}

/** Encrypts the data keys on a thread of its own, so that neither requests nor charges wait for it. */
async function encryptOnThread(folder: string, old: Buffer, next: Buffer): Promise<number> {
  const threads = new ThreadPool({
    file: entryFile('storage/folder/master-key/rekey-thread'),
    threads: 1,
    data: folder,
  });
  try {
    return await threads.run('encrypt', { old: old.toString('hex'), next: next.toString('hex') });
  } catch (error) {
    // An error of another thread has lost its class.
    throw new StoreError((error as Error).message);
  } finally {
    await threads.close();
  }
}
