import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { OperatorError } from './operator-error.js';

/** The part of fs-native-extensions used here; it has no types. `tryLock` returns false if the lock is taken. */
interface LockLibrary {
  tryLock(descriptor: number, options: { readonly shared: boolean }): boolean;
  unlock(descriptor: number): void;
  waitForLockSync(descriptor: number): void;
}

/** Loaded with the first lock: most threads take none. */
const library = () => createRequire(import.meta.url)('fs-native-extensions') as LockLibrary;

/** Attempts to get a lock, and the pause between two: `isLocked` holds a lock for a moment only. */
const LOCK_TRIES = 40;
const PAUSE_MS = 5;

/**
 * Locks a file, which exists, until the returned function is called or the process ends, however it ends. The kernel
 * holds the lock (an open file description lock on Linux, flock(2) on macOS), so it works across containers and a crash
 * leaves no stale lock. Tries every 5 ms, and blocks the thread in between. Returns null if another process keeps the
 * lock. Throws OperatorError if the file system has no locks.
 */
export function lockFile(file: string, tries: number = LOCK_TRIES): (() => void) | null {
  for (let left = tries; left > 0; left -= 1) {
    const unlockFile = tryFile(file, false);
    if (unlockFile !== null) return unlockFile;
    if (left > 1) pause();
  }
  return null;
}

/**
 * Locks an open file, runs `work`, which is synchronous, and unlocks the file. Blocks the thread, in the kernel, while another
 * process, or another descriptor of this one, has the lock. Throws what `work` throws; Error if the file system has no locks.
 */
export function holdLock<Result>(descriptor: number, work: () => Result): Result {
  const { waitForLockSync, unlock } = library();
  waitForLockSync(descriptor);
  try {
    return work();
  } finally {
    unlock(descriptor);
  }
}

/** Whether a file is locked. Throws OperatorError if the file system has no locks. */
export function isLocked(file: string): boolean {
  const unlockFile = tryFile(file, true);
  unlockFile?.();
  return unlockFile === null;
}

function tryFile(file: string, shared: boolean): (() => void) | null {
  const { tryLock, unlock } = library();
  // Node opens files with O_CLOEXEC: child processes cannot keep the lock.
  const descriptor = openSync(file, 'r+');
  try {
    if (tryLock(descriptor, { shared })) {
      const unlockFile = () => {
        unlock(descriptor);
        closeSync(descriptor);
      };
      // Before the lock was taken, the file may have been replaced or renamed: then another one would be unprotected.
      if (fstatSync(descriptor).ino === statSync(file, { throwIfNoEntry: false })?.ino) return unlockFile;
      unlockFile();
      return null;
    }
  } catch (error) {
    closeSync(descriptor);
    throw new OperatorError(
      `The file system of ${file} has no file locks (${(error as Error).message}). Put its folder on a local disk.`,
    );
  }
  closeSync(descriptor);
  return null;
}

/** Between two attempts. The kernel's own wait has no time limit. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
