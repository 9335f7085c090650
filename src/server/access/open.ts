import type { Settings } from '../../settings/index.js';
import type { ServerDependencies } from '../dependencies.js';
import { openFolder } from './folder.js';
import type { OpenAccess } from './open-access.js';

/** Opens the place of keys, accounts and batches that the settings name. Throws OperatorError, with nothing left open. */
export async function openAccess(
  settings: Pick<Settings, 'data' | 'master_key' | 'store'>,
  dependencies: ServerDependencies,
): Promise<OpenAccess> {
  if (settings.store.url === '') return openFolder(settings, dependencies);
  // Loaded only here: without a database it is of no use.
  const { openDatabase } = await import('./database.js');
  return openDatabase(settings, dependencies);
}
