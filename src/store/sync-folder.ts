import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Brings the names in a folder to the disk: a file that was made or renamed there survives a power failure. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
