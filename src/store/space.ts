import { statfsSync, statSync } from 'node:fs';
import { dataFileOf } from './data-folder.js';

/** Bytes of the file with all tables, and bytes free on its disk: Infinity if the file system does not say. */
export const storeSpace = (folder: string): { readonly used: number; readonly free: number } => ({
  used: statSync(dataFileOf(folder)).size,
  free: freeBytes(folder),
});

/** Bytes free on the disk of a folder; Infinity if the file system does not report its size. */
export function freeBytes(folder: string): number {
  const { blocks, bavail, bsize } = statfsSync(folder);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}
