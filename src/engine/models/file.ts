import { type BigIntStats, constants, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { ModelError } from './manifest.js';

/** A model file as it was at one moment. */
export interface FileVersion {
  readonly path: string;
  /** Equal as long as nobody replaces the file or writes to it. */
  readonly version: string;
}

/** A file that is open for reading. */
export interface OpenFile extends FileVersion {
  readonly handle: FileHandle;
}

/**
 * Opens a model file. Throws ModelError where it is not a regular file: a FIFO or a device would block the read, or
 * never end it.
 */
export async function openModelFile(path: string): Promise<OpenFile> {
  // Before it is opened: to open a device may already do something.
  requireRegular(path, await stat(path, { bigint: true }).catch(fail(path)));
  // Without O_NONBLOCK a FIFO that has just taken the place of the file would block.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(fail(path));
  try {
    const found = await handle.stat({ bigint: true });
    requireRegular(path, found);
    return { path, version: versionOf(found), handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Throws ModelError where a file is no longer the one that was read. */
export function requireUnchanged({ path, version }: FileVersion): void {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found !== undefined && versionOf(found) === version) return;
  throw new ModelError(`${path}: it was changed while it was loaded. Start again when it is complete.`);
}

function requireRegular(path: string, found: BigIntStats): void {
  if (!found.isFile()) throw new ModelError(`${path}: not a regular file`);
}

const versionOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) =>
  [dev, ino, size, mtimeNs, ctimeNs].join(' ');

const fail = (path: string) => (error: NodeJS.ErrnoException) => {
  throw new ModelError(`${path}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`);
};
