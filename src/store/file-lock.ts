import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { StoreError } from './data-folder.js';

/** What is used of fs-native-extensions, which has no types. False where another open file has the lock. */
interface LockLibrary {
  tryLock(descriptor: number, options: { readonly shared: boolean }): boolean;
  unlock(descriptor: number): void;
}

const { tryLock, unlock } = createRequire(import.meta.url)('fs-native-extensions') as LockLibrary;

/** How often, and how far apart, a lock is tried that another process may have for a moment only. */
const LOOK_TRIES = 40;
const PAUSE_MS = 5;

/**
 * Locks a file until the function returned is called, or the process ends in whatever way: the kernel holds the lock
 * (an open file description lock on Linux, flock(2) on macOS), so it is seen from every container, and neither a
 * crash nor a process id leaves a stale one. Returns null where another has it for longer than a look takes.
 * Throws StoreError where the file system has no locks.
 */
export function lockFile(file: string, tries: number = LOOK_TRIES): (() => void) | null {
  for (let left = tries; left > 0; left -= 1) {
    const unlockFile = tryFile(file, false);
    if (unlockFile !== null) return unlockFile;
    if (left > 1) pause();
  }
  return null;
}

/** Whether somebody has the lock of a file. Throws StoreError where the file system has no locks. */
export function isLocked(file: string): boolean {
  const unlockFile = tryFile(file, true);
  unlockFile?.();
  return unlockFile === null;
}

function tryFile(file: string, shared: boolean): (() => void) | null {
  // Closed in child processes (O_CLOEXEC): they cannot keep the lock.
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

/** Between two tries of a lock: the kernel would wait for it without end. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
