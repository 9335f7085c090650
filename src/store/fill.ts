import { closeSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from '../base/index.js';
import { DATA_FILE, pathOf, StoreError } from './data-folder.js';
import { notEmpty, requireNoStore } from './empty-folder.js';
import { createStore } from './environment.js';
import { openStore } from './format.js';
import type { Store } from './store.js';

/** In the folder of the store: the data folder whose store is being filled. */
const UNFINISHED = 'unfinished';
const LOCK = 'lock';

/**
 * Makes the store of a data folder that has none. `fill` writes it; once that resolves, the store takes its place. A
 * process that ends at any moment leaves no store or the complete one. What it leaves besides, in the folder `unfinished`
 * of the store's, is removed by the next call. Rejects with what `fill` rejects with, or with StoreError.
 */
export async function fillStore<Result>(
  folder: string,
  fill: (store: Store) => Promise<Result>,
): Promise<Result> {
  requireNoStore(folder);
  const unfinished = join(pathOf(folder), UNFINISHED);
  const unlock = lockUnfinished(unfinished);
  try {
    const result = await filled(unfinished, fill);
    let placed = false;
    createStore(folder, (path) => {
      renameSync(join(pathOf(unfinished), DATA_FILE), join(path, DATA_FILE));
      placed = true;
    });
    if (!placed) throw notEmpty(folder, 'another process has created a store in it');
    return result;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
    unlock();
  }
}

function lockUnfinished(unfinished: string): () => void {
  try {
    mkdirSync(unfinished, { recursive: true, mode: 0o700 });
    const lock = join(unfinished, LOCK);
    closeSync(openSync(lock, 'a', 0o600));
    const unlock = lockFile(lock);
    if (unlock === null) throw new StoreError(`Another process is filling the store in ${unfinished}.`);
    rmSync(pathOf(unfinished), { recursive: true, force: true });
    return unlock;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(`The folder ${unfinished} cannot be used: ${(error as Error).message}.`);
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
