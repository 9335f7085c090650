import type { Test } from 'tap';
import { openStore, type Store } from '../../../src/storage/folder/index.js';
import { dataFolder } from '../data-folder.js';

/** The store of a new data folder, closed with the test. */
export function emptyStore(t: Test): Store {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  return store;
}

/** An account that was charged so much. */
export const account = (charged: number) => ({
  charged: String(charged),
  month: '2026-01',
  monthCharged: '0',
});
