import { existsSync, readdirSync } from 'node:fs';
import { StoreError } from '../../../base/index.js';
import { MASTER_KEY_FILE } from '../../../sealing/index.js';
import { STORE_FOLDER } from '../../data-folder/data-folder.js';
import { storeExists } from '../../data-folder/store-exists.js';

/** What a data folder may contain beside a store, or before it has one, and what an interrupted command left. */
const MAY_CONTAIN = new RegExp(
  `^(${STORE_FOLDER}|${MASTER_KEY_FILE}(\\..+)?|operator\\.token|in-flight(\\.abort)?|node\\.(lock|json(\\.new)?)|lost\\+found)$`,
);

/** Throws StoreError if a data folder has a store, or files that are not of a data folder. */
export function requireNoStore(folder: string): void {
  if (storeExists(folder)) throw notEmpty(folder, 'it has a store');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const other = names.find((name) => !MAY_CONTAIN.test(name));
  if (other !== undefined) throw notEmpty(folder, `it contains ${other}`);
}

export const notEmpty = (folder: string, why: string): StoreError =>
  new StoreError(
    `The data folder ${folder} is not empty: ${why}. Move its content away, or name another folder (data, DECIDER_DATA).`,
  );
