import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../../base/index.js';
import {
  DATA_FILE,
  notEmpty,
  pathOf,
  requireNoStore,
  UNFINISHED_FOLDER,
} from '../../data-folder/data-folder.js';
import { serveWithoutStore } from '../../data-folder/serving.js';
import { createStore } from './environment.js';
import { openStore } from './format.js';
import type { Store } from './store.js';

/**
 * Makes the store of a data folder that has none and that no server uses. `fill` writes it; once that resolves, the store
 * takes its place. A process that ends at any moment leaves no store or the complete one. What it leaves besides, in the
 * folder `unfinished` of the store's, is removed by the next call or by the server. Rejects with what `fill` rejects with,
 * or with StoreError.
 */
export async function fillStore<Result>(
  folder: string,
  fill: (store: Store) => Promise<Result>,
): Promise<Result> {
  requireNoStore(folder);
  const leave = serveWithoutStore(folder);
  const unfinished = join(pathOf(folder), UNFINISHED_FOLDER);
  try {
    remove(unfinished);
    const result = await filled(unfinished, fill);
    let placed = false;
    createStore(folder, (path) => {
      renameSync(join(pathOf(unfinished), DATA_FILE), join(path, DATA_FILE));
      placed = true;
    });
    if (!placed) throw notEmpty(folder, 'another process has created a store in it');
    return result;
  } finally {
    try {
      remove(unfinished);
    } finally {
      leave();
    }
  }
}

function remove(unfinished: string): void {
  try {
    rmSync(unfinished, { recursive: true, force: true });
  } catch (error) {
    throw new StoreError(`${unfinished} cannot be removed: ${(error as Error).message}.`);
  }
}

async function filled<Result>(folder: string, fill: (store: Store) => Promise<Result>): Promise<Result> {
  const store = openStore(folder);
  try {
    return await fill(store);
  } finally {
    await store.close();
  }
}
