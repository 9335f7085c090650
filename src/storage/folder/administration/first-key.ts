import { CHANGES, DEFAULT_WORKSPACE, parseAmount } from '../../../access/index.js';
import type { Clock } from '../../../base/index.js';
import { FIRST_CREDIT, type StorageDependencies } from '../../storage.js';
import type { Store } from '../lmdb/store.js';
import { makeChange } from './change.js';
import { listWorkspaces } from './rows.js';

/**
 * On the first start, creates a workspace with credit and a key, and reports its token once. One transaction: if the
 * start is interrupted, the next one is again the first.
 */
export function createFirstKey(store: Store, clock: Clock, report: StorageDependencies['report']): void {
  if (listWorkspaces(store).length > 0) return;
  const credit = parseAmount(FIRST_CREDIT) as bigint;
  const { token } = store.as('server', () =>
    store.change(() => {
      makeChange(store, clock, CHANGES.createWorkspace(DEFAULT_WORKSPACE));
      makeChange(store, clock, CHANGES.grantCredit(DEFAULT_WORKSPACE, credit));
      return makeChange(store, clock, CHANGES.createKey(DEFAULT_WORKSPACE));
    }),
  );
  report.token(token);
}
