import { isFinished, linesOfLabels } from '../../../batch/index.js';
import type { Abort } from '../../../engine/index.js';
import type { Store } from '../lmdb/store.js';

/** Counts an abort for every line that was in progress and has no result. Returns how many. Throws StoreError. */
export function countAbort(store: Store, { id, reason, labels }: Abort): number {
  return store.change(() => {
    const open = linesOfLabels(labels).filter(([batch, line]) => isOpen(store, batch, line));
    for (const key of open) {
      const before = store.table('batch_aborts').get(...key);
      // Counted already, by a process that ended before it could remove the report.
      if (before?.last === id) continue;
      store.table('batch_aborts').put(key, { count: (before?.count ?? 0) + 1, last: id, reason });
    }
    return open.length;
  });
}

function isOpen(store: Store, batch: string, line: number): boolean {
  const found = store.table('batches').get(batch);
  if (found === undefined || isFinished(found) || line >= found.lines) return false;
  return store.table('batch_results').get(batch, line) === undefined;
}
