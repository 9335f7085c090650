import { systemClock } from '../../src/base/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { createKey, createWorkspace, grantCredit } from './access/folder-changes.js';

/** Makes the workspace `default` in a data folder on which no server has started. Returns the token of a key of it. */
export async function firstKey(data: string): Promise<string> {
  const store = openStore(data);
  createWorkspace(store, systemClock, 'default');
  grantCredit(store, systemClock, 'default', 10n ** 12n);
  const { token } = createKey(store, systemClock, 'default');
  await store.close();
  return token;
}
