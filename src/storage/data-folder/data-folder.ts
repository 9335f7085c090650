import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freeBytes, StoreError } from '../../base/index.js';
import { MASTER_KEY_FILE } from '../../sealing/index.js';

/** Errors of LMDB that a damaged page causes. */
const DAMAGE = /^MDB_(CORRUPTED|PAGE_NOTFOUND|BAD_TXN|PANIC)\b/;

/** The last sentence of an error for a damaged data file. */
export const RESTORE_BACKUP = 'Restore a backup into an empty data folder: decider restore FILE';

/** `what`, such as a table, cannot be used because of an error of LMDB or the file system. */
export function unusable(what: string, { message }: Error): StoreError {
  const remedy = DAMAGE.test(message) ? ` The data file is damaged. ${RESTORE_BACKUP}` : '';
  return new StoreError(`${what} cannot be used: ${message}.${remedy}`);
}

/** The folder of the LMDB environment in a data folder. */
const STORE_FOLDER = 'store';
export const pathOf = (folder: string): string => join(folder, STORE_FOLDER);

/** In the folder of the store: the data folder whose store is being filled; see `fillStore`. */
export const UNFINISHED_FOLDER = 'unfinished';

/** The names LMDB gives the two files of an environment. */
export const DATA_FILE = 'data.mdb';
export const LOCK_FILE = 'lock.mdb';
/** The file of the `CommitLock`. */
export const COMMIT_LOCK_FILE = 'commit.lock';

/** The file that holds all tables. */
export const dataFileOf = (folder: string): string => join(pathOf(folder), DATA_FILE);

/** The subfolder in which a store is created before it is moved into place. */
export const UNFINISHED = 'new';

/** Whether a data folder has a store, complete or damaged. If not, the next start creates one. Throws StoreError. */
export function storeExists(folder: string): boolean {
  try {
    const path = pathOf(folder);
    // If it is a file, some versions of Node report that a path below it does not exist, others throw.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new StoreError(
        `${path} is not a folder. Move it, or set another data folder (data, DECIDER_DATA).`,
      );
    return sizeOf(dataFileOf(folder)) > 0 || wasUsed(folder);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw unusable(`The data folder ${folder}`, error as Error);
  }
}

/**
 * Whether an empty data file is what is left of a store that was in use. After an interrupted first start, the master key
 * is missing or an unfinished store exists.
 */
export function wasUsed(folder: string): boolean {
  const path = pathOf(folder);
  const made = [join(folder, MASTER_KEY_FILE), join(path, LOCK_FILE), dataFileOf(folder)].every(existsSync);
  return made && !existsSync(join(path, UNFINISHED));
}

/** The length of a file in bytes; 0 if there is none. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** What a data folder may contain beside a store, or before it has one, and what an interrupted command left. */
const MAY_CONTAIN = new RegExp(
  `^(${STORE_FOLDER}|${MASTER_KEY_FILE}(\\..+)?|operator\\.token|in-flight(\\.abort)?|node\\.(lock|json(\\.new)?)|lost\\+found)$`,
);

/** Throws StoreError if a data folder has a store, or files that are not of a data folder. */
export function requireNoStore(folder: string): void {
  if (storeExists(folder)) throw notEmpty(folder, 'it has a store');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const other = names.find((name) => !MAY_CONTAIN.test(name));
  if (other !== undefined) throw notEmpty(folder, `it contains ${other}`);
}

export const notEmpty = (folder: string, why: string): StoreError =>
  new StoreError(
    `The data folder ${folder} is not empty: ${why}. Move its content away, or name another folder (data, DECIDER_DATA).`,
  );

/** Bytes of the file with all tables, and bytes free on its disk; see `freeBytes`. */
export const storeSpace = (folder: string): { readonly used: number; readonly free: number } => ({
  used: statSync(dataFileOf(folder)).size,
  free: freeBytes(folder),
});
