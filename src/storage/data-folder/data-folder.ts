import { join } from 'node:path';
import { StoreError } from '../../base/index.js';

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
export const STORE_FOLDER = 'store';
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
