import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../base/index.js';
import { MASTER_KEY_FILE } from '../../sealing/index.js';
import { dataFileOf, LOCK_FILE, pathOf, unusable } from './data-folder.js';

/** The subfolder in which a store is created before it is moved into place. */
export const UNFINISHED = 'new';

/** Whether a data folder has a store, complete or damaged. If not, the next start creates one. Throws StoreError. */
export function storeExists(folder: string): boolean {
  try {
    const path = pathOf(folder);
    // If it is a file, some versions of Node report that a path below it does not exist, others throw.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new StoreError(
        `${path} is not a folder. Move it, or set another data folder (data, DECIDER_DATA).`,
      );
    return sizeOf(dataFileOf(folder)) > 0 || wasUsed(folder);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw unusable(`The data folder ${folder}`, error as Error);
  }
}

/**
 * Whether an empty data file is what is left of a store that was in use. After an interrupted first start, the master key
 * is missing or an unfinished store exists.
 */
export function wasUsed(folder: string): boolean {
  const path = pathOf(folder);
  const made = [join(folder, MASTER_KEY_FILE), join(path, LOCK_FILE), dataFileOf(folder)].every(existsSync);
  return made && !existsSync(join(path, UNFINISHED));
}

/** The length of a file in bytes; 0 if there is none. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
