import { DEFAULT_WORKSPACE, parseAmount } from '../../../access/index.js';
import type { Clock } from '../../../base/index.js';
import { FIRST_CREDIT, type StorageDependencies } from '../../storage.js';
import type { Store } from '../lmdb/store.js';
import { createKey } from './keys.js';
import { createWorkspace, grantCredit, listWorkspaces } from './workspaces.js';

/**
 * On the first start, creates a workspace with credit and a key, and reports its token once. One transaction: if the
 * start is interrupted, the next one is again the first.
 */
export function createFirstKey(store: Store, clock: Clock, report: StorageDependencies['report']): void {
  if (listWorkspaces(store).length > 0) return;
  const { token } = store.as('server', () =>
    store.change(() => {
      createWorkspace(store, clock, DEFAULT_WORKSPACE);
      grantCredit(store, clock, DEFAULT_WORKSPACE, parseAmount(FIRST_CREDIT) as bigint);
      return createKey(store, clock, DEFAULT_WORKSPACE);
    }),
  );
  report.token(token);
}
