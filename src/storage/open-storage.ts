import type { Settings } from '../settings/index.js';
import type { Storage, StorageDependencies } from './storage.js';

/** Opens the place of keys, accounts and batches that the settings name. Throws OperatorError, with nothing left open. */
export async function openStorage(
  settings: Pick<Settings, 'data' | 'master_key' | 'store'>,
  dependencies: StorageDependencies,
): Promise<Storage> {
  // Loaded only here: a data folder needs no pg, and a database no lmdb.
  if (settings.store.url === '') {
    const { openFolder } = await import('./folder/folder-storage.js');
    return openFolder(settings, dependencies);
  }
  const { openDatabase } = await import('./database/database-storage.js');
  return openDatabase(settings, dependencies);
}
