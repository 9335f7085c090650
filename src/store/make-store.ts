import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { damaged } from './data-file.js';
import { DATA_FILE, dataFileOf, LOCK_FILE, pathOf, StoreError, syncFolder } from './data-folder.js';
import { lockFile, pause } from './file-lock.js';
import { MASTER_KEY_FILE } from './master-key.js';

/** Free disk space that a new store needs, in bytes: it takes 0.2 MB, and must be able to grow. */
export const FREE_BYTES_MIN = 16 * 1024 * 1024;

/**
 * LMDB makes its lock file sparse and writes it through memory, so that a full disk would end the process (SIGBUS).
 * A file of this many bytes has room for all its readers.
 */
const LOCK_FILE_BYTES = 16 * 1024;

/** How often a process looks whether the other that makes the store has finished: for 10 seconds. */
const MAKE_TRIES = 2_000;

/** Where a store is made, in the folder that it moves to when it is whole. */
const UNFINISHED = 'new';

/** Whether a data folder has a store, whole or damaged; where not, the next start makes one. */
export const storeExists = (folder: string): boolean => sizeOf(dataFileOf(folder)) > 0 || wasUsed(folder);

/**
 * Makes the store of a data folder that is there and has none. `make` writes it to a folder; it is moved into place
 * when it is whole and on the disk, so that a process that ends at any moment leaves no store or a whole one. Of
 * several processes one makes it and the others wait. Throws StoreError.
 */
export function makeStore(folder: string, make: (path: string) => void, tries: number = MAKE_TRIES): void {
  const path = pathOf(folder);
  if (!existsSync(join(path, LOCK_FILE))) requireSpace(folder);
  const file = dataFileOf(folder);
  if (sizeOf(file) > 0) {
    // The process that created the store may have been killed just after the move.
    rmSync(join(path, UNFINISHED), { recursive: true, force: true });
    return;
  }
  if (wasUsed(folder)) throw damaged(file, 'it is empty');
  mkdirSync(path, { recursive: true, mode: 0o700 });
  requireSpace(folder);
  const unlock = lockEmpty(folder, file, tries);
  if (unlock === null) return;
  try {
    makeAt(join(path, UNFINISHED), path, make);
    syncFolder(folder);
  } finally {
    unlock();
  }
}

function makeAt(unfinished: string, path: string, make: (path: string) => void): void {
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  try {
    writeFileSync(join(unfinished, LOCK_FILE), Buffer.alloc(LOCK_FILE_BYTES), { mode: 0o600, flush: true });
    make(unfinished);
    syncFile(join(unfinished, DATA_FILE));
    // Before the data: nobody opens a store without data, so nobody has another lock file open.
    for (const name of [LOCK_FILE, DATA_FILE]) renameSync(join(unfinished, name), join(path, name));
    syncFolder(path);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * Locks the empty file that stands where the data will: from its first appearance, or left by an interrupted start.
 * Null where the data are there by then. Whoever waits has the empty file open, and looks again when it has the lock.
 */
function lockEmpty(folder: string, file: string, tries: number): (() => void) | null {
  closeSync(openSync(file, 'a', 0o600));
  for (let left = tries; left > 0; left -= 1) {
    if (sizeOf(file) > 0) return null;
    const unlock = lockFile(file, 1);
    if (unlock !== null) {
      if (sizeOf(file) === 0) return unlock;
      unlock();
      return null;
    }
    pause();
  }
  throw new StoreError(
    `Another process is making the store of the data folder ${folder} and does not finish. Stop it.`,
  );
}

/**
 * Whether an empty data file is the remains of a store that was in use. An interrupted first start is told apart by its
 * missing master key, or by its unfinished store.
 */
function wasUsed(folder: string): boolean {
  const path = pathOf(folder);
  const made = [join(folder, MASTER_KEY_FILE), join(path, LOCK_FILE), dataFileOf(folder)].every(existsSync);
  return made && !existsSync(join(path, UNFINISHED));
}

/** Throws StoreError where fewer than `FREE_BYTES_MIN` bytes are free. */
export function requireSpace(folder: string, free: number = freeBytes(folder)): void {
  if (free >= FREE_BYTES_MIN) return;
  throw new StoreError(
    `The disk of the data folder ${folder} has ${free} bytes free, and a new store needs ${FREE_BYTES_MIN}. Free some, or name a folder on another disk (data, DECIDER_DATA).`,
  );
}

/** Infinity if the file system does not report its size. */
function freeBytes(folder: string): number {
  const { blocks, bavail, bsize } = statfsSync(folder);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
