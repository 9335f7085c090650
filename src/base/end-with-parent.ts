import { Worker } from 'node:worker_threads';
import { entryFile } from './entry-file.js';

/**
 * Ends this process soon after its parent has ended, however that was. By a thread, because this process may be busy in one
 * call for minutes.
 */
export function endWithParent(parent: number): void {
  const watch = new Worker(entryFile('base/parent-watch'), { workerData: parent });
  // Without a thread, as when too few are free, the process still does its work.
  watch.on('error', () => {});
  watch.unref();
}
