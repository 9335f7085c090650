import { statSync } from 'node:fs';
import { freeBytes } from '../../../base/index.js';
import { dataFileOf } from '../../data-folder/data-folder.js';

/** Bytes of the file with all tables, and bytes free on its disk; see `freeBytes`. */
export const storeSpace = (folder: string): { readonly used: number; readonly free: number } => ({
  used: statSync(dataFileOf(folder)).size,
  free: freeBytes(folder),
});
