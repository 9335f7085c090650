import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { freeBytes, lockFile, pause, StoreError, syncFolder } from '../../../base/index.js';
import {
  DATA_FILE,
  dataFileOf,
  LOCK_FILE,
  pathOf,
  sizeOf,
  UNFINISHED,
  wasUsed,
} from '../../data-folder/data-folder.js';
import { damaged } from './data-file.js';

/** Free disk space required for a new store, in bytes. It takes 0.2 MB, and must be able to grow. */
export const FREE_BYTES_MIN = 16 * 1024 * 1024;

/**
 * LMDB creates its lock file sparse and writes it through a memory map, so that a full disk would kill the process
 * (SIGBUS). A file of this size has room for all readers.
 */
const LOCK_FILE_BYTES = 16 * 1024;

/** Checks whether another process has finished creating the store: 10 seconds in total. */
const MAKE_TRIES = 2_000;

/**
 * Creates the store of an existing data folder that has none. `make` writes it to a folder, which is moved into place once
 * it is complete and on the disk: a process that ends at any moment leaves no store or a complete one. If several
 * processes try, one creates it and the others wait. Throws StoreError.
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
    // The lock file first: no process opens a store without data, so none has another lock file open.
    for (const name of [LOCK_FILE, DATA_FILE]) renameSync(join(unfinished, name), join(path, name));
    syncFolder(path);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * Locks the empty file in the place of the data; an interrupted start may have left one. Null if the data exist by now.
 * A process that waited has the lock of the empty file, and so checks again.
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
    `Another process has been creating the store of the data folder ${folder} for 10 seconds. Stop it and try again.`,
  );
}

/** Throws StoreError if fewer than `FREE_BYTES_MIN` bytes are free. */
export function requireSpace(folder: string, free: number = freeBytes(folder)): void {
  if (free >= FREE_BYTES_MIN) return;
  throw new StoreError(
    `The disk of the data folder ${folder} has ${free} bytes free, and a new store needs ${FREE_BYTES_MIN}. Free some, or name a folder on another disk (data, DECIDER_DATA).`,
  );
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
