import { join } from 'node:path';

/** The folder of the LMDB environment in a data folder. */
export const pathOf = (folder: string): string => join(folder, 'store');

/** What LMDB calls the two files of an environment. */
export const DATA_FILE = 'data.mdb';
export const LOCK_FILE = 'lock.mdb';

/** The file with everything that is stored. */
export const dataFileOf = (folder: string): string => join(pathOf(folder), DATA_FILE);
