import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { StoreError } from './errors.js';
import { TABLE_NAMES, type TableName } from './tables.js';

export type BinaryDatabase = Database<Buffer, Buffer>;

/** The LMDB environment of a data folder, with a database for each table. */
export interface Environment {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly databases: Readonly<Record<TableName, BinaryDatabase>>;
}

/** Most databases an environment can hold, with room for tables to come. */
const DATABASES_MAX = 64;
const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

/**
 * Opens the environment of a data folder, which is made, for its owner only, where there is none. Several
 * processes and threads may have it open. Throws StoreError.
 */
export function openEnvironment(folder: string): Environment {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const path = join(folder, 'store');
    // LMDB alone would answer from a transaction that is in no disk's keeping yet (overlappingSync).
    const root = open<Buffer, Buffer>({ path, maxDbs: DATABASES_MAX, overlappingSync: false, ...BINARY });
    checkLength(root, join(path, 'data.mdb'));
    const databases = TABLE_NAMES.map((name) => [name, root.openDB({ name, ...BINARY })] as const);
    return { root, databases: Object.fromEntries(databases) as Environment['databases'] };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(`The data folder ${folder} cannot be used: ${(error as Error).message}.`);
  }
}

/** A file that was cut off is mapped all the same, and ends the process when a missing page is read. */
function checkLength(root: RootDatabase<Buffer, Buffer>, file: string): void {
  const { pageSize, lastPageNumber } = root.getStats() as { pageSize: number; lastPageNumber: number };
  const expected = (lastPageNumber + 1) * pageSize;
  const { size } = statSync(file);
  if (size >= expected) return;
  throw new StoreError(`${file} is damaged: it has ${size} of ${expected} bytes. Restore it from a copy.`);
}
