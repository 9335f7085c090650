import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Free bytes on the disk of a folder, which need not exist; Infinity if the file system does not report its size. */
export function freeBytes(folder: string): number {
  const path = resolve(folder);
  if (!existsSync(path) && path !== dirname(path)) return freeBytes(dirname(path));
  const { blocks, bavail, bsize } = statfsSync(path);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}
