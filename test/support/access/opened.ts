import type { Test } from 'tap';
import type { Kind } from '../../../src/access/index.js';
import { openStore, type Store } from '../../../src/storage/folder/index.js';
import { FolderAccess } from '../../../src/storage/folder/ledger/folder-access.js';
import { dataFolder } from '../data-folder.js';
import { fakeClock } from '../fake-clock.js';
import { createKey, createWorkspace, grantCredit } from './folder-changes.js';

/** An instant in the middle of a day, a month and a year. */
export const NOON = Date.parse('2026-06-15T12:00:00.000Z');

/** The type of what `work` throws; null where it does not throw. */
export function thrown(work: () => unknown): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return (error as { type?: string }).type ?? String(error);
  }
}

/** Access to an empty data folder, where time stands still. A charge that cannot be written fails the test. */
export function opened(t: Test, start: number = NOON) {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  const clock = fakeClock(start);
  const access = new FolderAccess(store, clock, (error) => t.fail(String(error)));
  return { store, clock, access, ...dealings(store, clock, access) };
}

export type FakeClock = ReturnType<typeof fakeClock>;

/** The short ways to a workspace with credit, to a caller, and to money set aside. */
export function dealings(store: Store, clock: FakeClock, access: FolderAccess) {
  /** A workspace with so much credit, and a key of it that never ends. */
  const workspace = (id: string, credit: bigint) => {
    createWorkspace(store, clock, id);
    if (credit !== 0n) grantCredit(store, clock, id, credit);
    return createKey(store, clock, id, null);
  };
  const caller = (token: string) => access.authenticate([`Bearer ${token}`]);
  const reserve = (token: string, inputTokens: number, price = 1n, kind: Kind = 'live') =>
    access.reserve(caller(token), { model: 'm-20260101', kind, inputTokens, price });
  return { workspace, caller, reserve };
}
