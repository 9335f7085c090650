import type { Clock } from '../../base/index.js';
import type { Metrics } from '../../telemetry/index.js';
import { storeSpace } from '../data-folder/data-folder.js';
import type { Store } from './lmdb/store.js';

/** Measures the commits of a store, its size and its disk. */
export function measureStore(metrics: Metrics, store: Store, clock: Pick<Clock, 'monotonic'>): void {
  const { commitSeconds, commitsFailed, storeBytes, diskFree } = metrics.instruments;
  store.watchCommits(() => {
    const started = clock.monotonic();
    return (done) => {
      commitSeconds.observe((clock.monotonic() - started) / 1_000);
      if (!done) commitsFailed.inc();
    };
  });
  metrics.beforeScrape(() => {
    const { used, free } = spaceOf(store.folder);
    storeBytes.set(used);
    diskFree.set(free);
  });
}

/** NaN if the disk cannot be read: the other metrics then show what is wrong. */
function spaceOf(folder: string): ReturnType<typeof storeSpace> {
  try {
    return storeSpace(folder);
  } catch {
    return { used: Number.NaN, free: Number.NaN };
  }
}
