import type { Store } from '../../store/index.js';
import { readLines } from './read-lines.js';
import { readList } from './read-list.js';
import { readResults } from './read-results.js';

/** What the reading thread does: everything that takes longer the more is stored. */
const TASKS = { lines: readLines, results: readResults, list: readList };

export type ReadName = keyof typeof TASKS;
export type ReadTask<Name extends ReadName> = Parameters<(typeof TASKS)[Name]>[1];
export type ReadAnswer<Name extends ReadName> = ReturnType<(typeof TASKS)[Name]>;

/** A task on its way to the thread. */
export interface ReadCall {
  readonly name: ReadName;
  readonly task: ReadTask<ReadName>;
}

/** Does a task, with what is on the disk now. Throws StoreError. */
export function readStored(store: Store, { name, task }: ReadCall): ReadAnswer<ReadName> {
  store.refresh();
  const read = TASKS[name] as (store: Store, task: ReadTask<ReadName>) => ReadAnswer<ReadName>;
  return read(store, task);
}
