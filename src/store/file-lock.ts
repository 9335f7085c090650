import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { StoreError } from './data-folder.js';

/** The part of fs-native-extensions used here; it has no types. `tryLock` returns false if the lock is taken. */
interface LockLibrary {
  tryLock(descriptor: number, options: { readonly shared: boolean }): boolean;
  unlock(descriptor: number): void;
}

const { tryLock, unlock } = createRequire(import.meta.url)('fs-native-extensions') as LockLibrary;

/** Attempts to get a lock, and the pause between two: `isLocked` holds a lock for a moment only. */
const LOOK_TRIES = 40;
const PAUSE_MS = 5;

/**
 * Locks a file until the returned function is called or the process ends, however it ends. The kernel holds the lock (an
 * open file description lock on Linux, flock(2) on macOS), so it works across containers and a crash leaves no stale
 * lock. Returns null if another process keeps the lock. Throws StoreError if the file system has no locks.
 */
export function lockFile(file: string, tries: number = LOOK_TRIES): (() => void) | null {
  for (let left = tries; left > 0; left -= 1) {
    const unlockFile = tryFile(file, false);
    if (unlockFile !== null) return unlockFile;
    if (left > 1) pause();
  }
  return null;
}

/** Whether a file is locked. Throws StoreError if the file system has no locks. */
export function isLocked(file: string): boolean {
  const unlockFile = tryFile(file, true);
  unlockFile?.();
  return unlockFile === null;
}

function tryFile(file: string, shared: boolean): (() => void) | null {
  // Node opens files with O_CLOEXEC: child processes cannot keep the lock.
  const descriptor = openSync(file, 'r+');
  try {
    if (tryLock(descriptor, { shared })) {
      return () => {
        unlock(descriptor);
        closeSync(descriptor);
      };
    }
  } catch (error) {
    closeSync(descriptor);
    throw new StoreError(
      `The file system of ${file} has no file locks (${(error as Error).message}). Put the data folder on a local disk.`,
    );
  }
  closeSync(descriptor);
  return null;
}

/** Between two attempts. The kernel's own wait has no time limit. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
