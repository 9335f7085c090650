import type { Change } from '../../../access/index.js';
import type { Clock } from '../../../base/index.js';
import type { Store } from '../lmdb/store.js';
import { addGrant, eraseBatch, findBatch, findKey, findWorkspace, putKey, putWorkspace } from './rows.js';

/** Room for what a change writes into the lists: a page for each level of each entry. */
const LISTS_BYTES = 256 * 1024;

/** Makes an administrative change in one transaction. Throws AccessError; then nothing was changed. */
export function makeChange<Result>(store: Store, clock: Pick<Clock, 'now'>, change: Change<Result>): Result {
  return store.change(() => {
    const now = clock.now();
    const stored = change.key === undefined ? undefined : findKey(store, change.key);
    const owner = change.workspace ?? stored?.workspace;
    const {
      result,
      workspace,
      keys = [],
      grant,
      erased,
      record,
    } = change.decide(
      {
        workspace: owner === undefined ? undefined : findWorkspace(store, owner),
        key: stored,
        batch: change.batch === undefined ? undefined : findBatch(store, change.batch),
      },
      now,
    );
    if (workspace !== undefined) {
      putWorkspace(store, workspace);
      if (grant !== undefined) addGrant(store, workspace.id, now, grant);
    }
    for (const key of keys) putKey(store, key);
    if (erased !== undefined) eraseBatch(store, erased, now);
    if (record !== undefined) store.audit(now, record);
    return result;
  }, LISTS_BYTES);
}
