import { StoreError } from './errors.js';
import { startOfProcess } from './process-identity.js';
import type { Store } from './store.js';

/**
 * Makes this process the one that serves the folder; the function returned ends that. Throws StoreError, with the
 * process id of the other, where one serves it already. The transaction decides between two that start at once.
 */
export function serveAlone(store: Store): () => void {
  const meta = store.table('meta');
  const own = { pid: process.pid, started: startOfProcess(process.pid) ?? '' };
  store.change(() => {
    const other = servingProcess(store);
    if (other !== null) {
      throw new StoreError(
        `The data folder ${store.folder} is served by the process ${other}; a second server needs its own folder.`,
      );
    }
    meta.put(['server'], own);
  });
  return () => {
    store.change(() => {
      const { pid, started } = meta.get('server') ?? {};
      if (pid === own.pid && started === own.started) meta.put(['server'], {});
    });
  };
}

/** The process that serves the folder; null where none does, or where it has ended without saying so. */
export function servingProcess(store: Store): number | null {
  const { pid, started } = store.table('meta').get('server') ?? {};
  return pid !== undefined && startOfProcess(pid) === started ? pid : null;
}
