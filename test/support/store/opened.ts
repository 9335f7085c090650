import type { Test } from 'tap';
import { openStore, type Store } from '../../../src/storage/folder/index.js';

/** The store of a new data folder, closed with the test. */
export function emptyStore(t: Test): Store {
  const store = openStore(t.testdir());
  t.teardown(() => store.close());
  return store;
}

/** An account that was charged so much. */
export const account = (charged: number) => ({
  charged: String(charged),
  month: '2026-01',
  monthCharged: '0',
});
