import { createHash } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../base/index.js';
import { StoreError } from './data-folder.js';
import { serveStore } from './format.js';
import { hasMasterKey, isMasterKey, putMasterKey } from './master-check.js';
import { createKeyFile, MASTER_KEY_FILE, masterKey, NEXT_KEY_FILE, readKeyFile } from './master-key.js';
import { dataKeyPlace } from './sealer.js';
import { seal, unseal } from './sealing.js';
import { servingProcess } from './serving.js';
import type { Store } from './store.js';

/** The result of a change of the master key. */
interface Rekeyed {
  /** Data keys that are now encrypted with the new key; null if an earlier run had done so. */
  readonly dataKeys: number | null;
  /** The file with the key of earlier backups; null if the key is configured. */
  readonly earlier: string | null;
}

/**
 * Replaces the master key of a data folder: encrypts every data key with the new one. A process that ends at any moment
 * leaves a folder that opens with the old or the new key; run it again to finish.
 *
 * Refused while a server runs, which keeps the old key in memory and would encrypt the keys of new batches with it.
 *
 * @param given the configured master key as 64 hexadecimal digits; '' if the folder has a file
 * @param newKeyFile a file with the new key, required if `given` is not ''; null: a new key is generated
 * @throws StoreError
 */
export async function rekey(folder: string, given: string, newKeyFile: string | null): Promise<Rekeyed> {
  const server = servingProcess(folder);
  if (server !== null) {
    throw new StoreError(`The data folder ${folder} is served by ${server}. Stop that process first.`);
  }
  // A server that starts now would read the old key.
  const { store, leave } = serveStore(folder);
  try {
    if (!hasMasterKey(store)) {
      throw new StoreError(`The data folder ${folder} has no master key yet; the first start creates it.`);
    }
    return newKeyFile === null ? rekeyFile(store, given) : rekeyGiven(store, given, newKeyFile);
  } finally {
    await store.close();
    leave();
  }
}

/** Generates a key and puts it in the place of `master.key`, which is kept under another name for earlier backups. */
function rekeyFile(store: Store, given: string): Rekeyed {
  if (given !== '') {
    throw new StoreError(
      'The master key is configured (master_key). Name a file with the new one: --new-key FILE.',
    );
  }
  const [file, nextFile] = [MASTER_KEY_FILE, NEXT_KEY_FILE].map((name) => join(store.folder, name)) as [
    string,
    string,
  ];
  const old = masterKey(store.folder, '', false);
  // Made by an interrupted run, which may already have encrypted the data keys with it.
  const next = existsSync(nextFile) ? readKeyFile(nextFile) : createKeyFile(nextFile);
  const dataKeys = isMasterKey(store, next) ? null : encryptDataKeys(store, old, next);
  const earlier = `${file}.${createHash('sha256').update(old).digest('hex').slice(0, 8)}`;
  if (!existsSync(earlier)) createKeyFile(earlier, old);
  renameSync(nextFile, file);
  syncFolder(store.folder);
  return { dataKeys, earlier };
}

function rekeyGiven(store: Store, given: string, newKeyFile: string): Rekeyed {
  if (given === '') {
    throw new StoreError(
      `--new-key is for a configured master key (master_key). Leave it out: ${MASTER_KEY_FILE} is replaced by a generated key.`,
    );
  }
  const next = readKeyFile(newKeyFile);
  const old = masterKey(store.folder, given, false);
  if (next.equals(old)) {
    throw new StoreError(`${newKeyFile} has the current master key. Generate a new one.`);
  }
  return { dataKeys: isMasterKey(store, next) ? null : encryptDataKeys(store, old, next), earlier: null };
}

/** Encrypts all data keys with another master key, in one transaction. Returns their number. */
function encryptDataKeys(store: Store, old: Buffer, next: Buffer): number {
  if (!isMasterKey(store, old)) {
    throw new StoreError(
      `The master key is not the one that the data folder ${store.folder} was encrypted with.`,
    );
  }
  const table = store.table('data_keys');
  const entries = [...table.entries()];
  // Every page of the table is written again, and may be half empty.
  const bytes = entries.reduce(
    (sum, { key: [owner], value }) => sum + 2 * (String(owner).length + value.length + 16),
    0,
  );
  store.change(() => {
    for (const { key, value } of entries) {
      const owner = String(key[0]);
      table.put(key, seal(next, dataKeyPlace(owner), openDataKey(old, owner, value)));
    }
    putMasterKey(store, next);
  }, bytes);
  return entries.length;
}

/** A data key that does not open is not left out: the new key would make it unreadable for good. */
function openDataKey(master: Buffer, owner: string, value: Buffer): Buffer {
  try {
    return unseal(master, dataKeyPlace(owner), value);
  } catch (error) {
    throw new StoreError(
      `${(error as Error).message} The master key was not changed. Restore a backup, or start the server and repeat this once it has deleted ${owner}: about 15 days after its submission.`,
    );
  }
}
