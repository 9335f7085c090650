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
    const other = meta.get('server');
    if (other?.pid !== undefined && startOfProcess(other.pid) === other.started) {
      throw new StoreError(
        `The data folder ${store.folder} is served by the process ${other.pid}; a second server needs its own folder.`,
      );
    }
    meta.put(['server'], own);
  });
  return () => store.change(() => meta.put(['server'], {}));
}
