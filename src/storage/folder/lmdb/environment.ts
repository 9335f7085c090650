import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { StoreError, syncFolder } from '../../../base/index.js';
import { encodeKey } from '../../../sealing/index.js';
import {
  COMMIT_LOCK_FILE,
  DATA_FILE,
  dataFileOf,
  LOCK_FILE,
  pathOf,
  RESTORE_BACKUP,
  unusable,
} from '../../data-folder/data-folder.js';
import { refuseOtherContainer } from '../../data-folder/serving.js';
import { CommitLock } from './commit-lock.js';
import { allocate, checkHeaders, damaged, fillUp, requireLockFile } from './data-file.js';
import { makeStore } from './make-store.js';
import { ADDED_TABLES, TABLE_NAMES, TABLES, type TableName } from './tables.js';

export type BinaryDatabase = Database<Buffer, Buffer>;

/** The LMDB environment of a data folder, with a database for each table. */
export interface Environment {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly databases: Readonly<Record<TableName, BinaryDatabase>>;
  /** The data file, open for writing: see `allocateFor`. */
  readonly file: number;
  /** Every write transaction holds it. */
  readonly lock: CommitLock;
}

/** Maximum number of databases in an environment, with room for future tables. */
const DATABASES_MAX = 64;
const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

/**
 * Creates a data folder and its store if there is none, for its owner only. Does not open it. `make`: see `makeStore`; by
 * default the tables are empty. Throws StoreError.
 */
export function createStore(
  folder: string,
  make: (path: string) => void = (path) => makeEnvironment(path),
): void {
  asStoreError(folder, () => {
    const made = makeFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    refuseOtherContainer(folder);
    makeStore(folder, make);
    if (made) syncFolder(dirname(resolve(folder)));
  });
}

/**
 * Opens the environment of a data folder, which is created if there is none. Several processes and threads may have it
 * open. Throws StoreError, also if a table is missing; `ADDED_TABLES` are created, unless it `mustBeComplete`.
 */
export function openEnvironment(folder: string, mustBeComplete = false): Environment {
  createStore(folder);
  return asStoreError(folder, () => {
    const file = dataFileOf(folder);
    checkHeaders(file);
    requireLockFile(join(pathOf(folder), LOCK_FILE));
    const lock = new CommitLock(join(pathOf(folder), COMMIT_LOCK_FILE));
    try {
      return lock.hold(() => {
        const root = openRoot(pathOf(folder));
        const databases = isShort(root, file)
          ? openShort(root, file, mustBeComplete)
          : openExisting(root, file, mustBeComplete);
        return { root, databases, file: openSync(file, 'r+'), lock };
      });
    } catch (error) {
      lock.close();
      throw error;
    }
  });
}

/** Pages of a transaction besides those of its values: branches of the tables, the list of free pages. */
const OTHER_PAGES = 64;

/**
 * Allocates space in the data file for values of the given sizes, in bytes. Call it first in every transaction: see
 * `allocate`. Throws the file system's error.
 */
export function allocateFor({ root, file }: Environment, valueBytes: readonly number[]): void {
  const { pageSize, pages } = extent(root);
  // A value up to half a page lies in its leaf page, which is rewritten; a larger one has pages of its own besides.
  const needed = valueBytes.map((bytes) => (bytes <= pageSize / 2 ? 1 : 2 + Math.ceil(bytes / pageSize)));
  allocate(
    file,
    pageSize,
    pages,
    needed.reduce((sum, count) => sum + count, OTHER_PAGES),
  );
}

/** Closes the environment. Resolves when it is closed; without asynchronous writes, lmdb closes in this call. */
export function closeEnvironment({ root, file, lock }: Environment): Promise<void> {
  const closed = root.close();
  closeSync(file);
  lock.close();
  return closed;
}

/** The bytes of the data file up to its last used page. */
export function extentBytes({ root }: Environment): number {
  const { pageSize, pages } = extent(root);
  return pageSize * pages;
}

function asStoreError<Result>(folder: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw unusable(`The data folder ${folder}`, error as Error);
  }
}

/**
 * Returns whether the folder was created. Parents are created one by one, because Node's recursive mkdir never returns
 * for a path in /proc.
 */
function makeFolder(folder: string): boolean {
  if (existsSync(folder)) return false;
  const above = dirname(resolve(folder));
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    // Another process may have created it first.
    if (existsSync(folder)) return false;
    throw error;
  }
}

/**
 * Makes a folder an LMDB environment that has all tables; what it contains stays. `fill` is called in a transaction and
 * adds a few small values.
 */
export function makeEnvironment(path: string, fill?: (databases: Environment['databases']) => void): void {
  const root = openRoot(path);
  try {
    const databases = openTables(root);
    if (fill !== undefined) root.transactionSync(() => fill(databases));
  } finally {
    void root.close();
  }
}

/** Whether an environment has all pages up to the last one that it uses. */
export function isWhole(path: string): boolean {
  const root = openRoot(path);
  try {
    return !isShort(root, join(path, DATA_FILE));
  } finally {
    void root.close();
  }
}

// With lmdb's overlappingSync, reads would see transactions that are not on the disk yet.
const openRoot = (path: string): Environment['root'] =>
  open<Buffer, Buffer>({ path, maxDbs: DATABASES_MAX, overlappingSync: false, ...BINARY });

/**
 * Opens the tables of a store that was made with all of them. LMDB would create one whose name is damaged, and what the
 * table contained would be gone without an error.
 */
function openExisting(
  root: Environment['root'],
  file: string,
  mustBeComplete: boolean,
): Environment['databases'] {
  // The databases are entries of the unnamed one. lmdb writes their names with a final NUL.
  const names = new Set(Array.from(root.getKeys(), (name) => name.toString()));
  const missing = TABLE_NAMES.filter((name) => !names.has(`${name}\0`));
  const lost = missing.filter((name) => !ADDED_TABLES.has(name));
  if (lost.length > 0) throw damaged(file, `it has no table ${lost.join(', ')}`);
  const format = missing.length === 0 ? 0 : formatIn(root);
  const lostLater = missing.filter((name) => format >= (ADDED_TABLES.get(name) as number));
  if (lostLater.length > 0) throw damaged(file, `it has no table ${lostLater.join(', ')}`);
  if (mustBeComplete && missing.length > 0) throw incomplete(file, format, missing);
  return openTables(root);
}

/** The format of a store that has the table `meta`; 0 if it is not there or damaged, which is found later. */
function formatIn(root: Environment['root']): number {
  const value = root.openDB({ name: 'meta', ...BINARY }).getBinary(encodeKey(TABLES.meta.key, ['format']));
  try {
    return Number(JSON.parse(String(value)).format) || 0;
  } catch {
    return 0;
  }
}

/** The error for tables that the format of a store does not have yet; 0: its format is not known. */
const incomplete = (file: string, format: number, missing: readonly TableName[]): StoreError =>
  new StoreError(
    format > 0
      ? `${file} has the older format ${format}. Use the version that wrote it, or start the server, which upgrades the folder.`
      : `${file} has no table ${missing.join(', ')}. If an earlier version wrote it, start the server, which creates it. Otherwise the file is damaged. ${RESTORE_BACKUP}`,
  );

function openTables(root: Environment['root']): Environment['databases'] {
  const databases = TABLE_NAMES.map((name) => [name, root.openDB({ name, ...BINARY })] as const);
  return Object.fromEntries(databases) as Environment['databases'];
}

/** The bytes of the pages of a database. */
export function bytesIn(database: BinaryDatabase): number {
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } =
    database.getStats() as PageCounts;
  return pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages);
}

/** The entries that a database has by its own record. Reads of a damaged tree may end early, without an error. */
export function entriesIn(database: BinaryDatabase): number {
  return (database.getStats() as PageCounts).entryCount;
}

/** What lmdb returns of a database; it has no type for it. */
interface PageCounts {
  readonly entryCount: number;
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

function extent(root: Environment['root']): { pageSize: number; pages: number } {
  const { pageSize, lastPageNumber } = root.getStats() as { pageSize: number; lastPageNumber: number };
  return { pageSize, pages: lastPageNumber + 1 };
}

function isShort(root: Environment['root'], file: string): boolean {
  const { pageSize, pages } = extent(root);
  return statSync(file).size < pages * pageSize;
}

function openShort(
  root: Environment['root'],
  file: string,
  mustBeComplete: boolean,
): Environment['databases'] {
  return root.transactionSync(() => {
    const { pageSize, pages } = extent(root);
    return fillUp(file, pageSize, pages, () => {
      const databases = openExisting(root, file, mustBeComplete);
      for (const database of Object.values(databases)) {
        for (const { key } of database.getRange({})) database.getBinary(key);
      }
      // A write reads the list of free pages.
      databases.meta.putSync(Buffer.from('\0'), Buffer.from('{}'));
      return databases;
    });
  });
}
