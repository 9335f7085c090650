import type { Batch, BatchFilter, NewestBatches } from '../../../batch/index.js';
import type { Store } from '../lmdb/store.js';

/**
 * The newest batches of all keys, except deleted ones. Reads every batch: not for
 * the main thread. Throws StoreError.
 */
export function newestBatches(store: Store, { state, workspace, limit }: BatchFilter): NewestBatches {
  const found: Batch[] = [];
  for (const { value: batch } of store.table('batches').entries()) {
    if (batch.deleted || (state !== undefined && batch.state !== state)) continue;
    if (workspace === undefined || batch.workspace === workspace) found.push(batch);
  }
  found.sort((one, other) => other.created - one.created || (one.id < other.id ? -1 : 1));
  return { batches: found.slice(0, limit), more: found.length > limit };
}
