import { FairQueue, type Owner } from '../../../../base/index.js';
import type { Store } from '../../lmdb/store.js';
import { readChunk } from './read-chunk.js';
import { readList } from './read-list.js';
import { readResults } from './read-results.js';

/** The tasks of the reading thread: all reads whose time grows with the amount of stored data. */
const TASKS = { chunk: readChunk, results: readResults, list: readList };

type ReadName = keyof typeof TASKS;
type ReadTask<Name extends ReadName> = Parameters<(typeof TASKS)[Name]>[1];
type ReadAnswer<Name extends ReadName> = ReturnType<(typeof TASKS)[Name]>;

/** A task for the reading thread. */
export interface ReadCall {
  readonly name: ReadName;
  readonly task: ReadTask<ReadName>;
}

/** Runs a task on the current state of the disk. Throws StoreError. */
export function readStored(store: Store, { name, task }: ReadCall): ReadAnswer<ReadName> {
  store.refresh();
  const read = TASKS[name] as (store: Store, task: ReadTask<ReadName>) => ReadAnswer<ReadName>;
  return read(store, task);
}

const ONE = { key: 1, workspace: 1, all: 1 };
/** Waiting tasks are bounded by the number of requests that HTTP admits. */
const UNBOUNDED = { key: Infinity, workspace: Infinity, all: Infinity };

/**
 * Schedules reads on the reading thread, which runs one task after another. Callers' tasks are passed to it one at a time,
 * each no longer than one piece; keys take turns, however many downloads a key has. The runner's tasks are passed on at
 * once, and so wait for at most one piece.
 */
export class FolderReader {
  private readonly callers = new FairQueue(ONE, UNBOUNDED);

  /** `run`: calls `readStored` on the reading thread. */
  constructor(private readonly run: (call: ReadCall) => Promise<unknown>) {}

  /** Reads for a caller. Rejects with the error of the thread. */
  read<Name extends ReadName>(owner: Owner, name: Name, task: ReadTask<Name>): Promise<ReadAnswer<Name>> {
    return this.callers.run(owner, () => this.run({ name, task }) as Promise<ReadAnswer<Name>>);
  }

  /** Reads for the runner. */
  chunk(task: ReadTask<'chunk'>): Promise<ReadAnswer<'chunk'>> {
    return this.run({ name: 'chunk', task }) as Promise<ReadAnswer<'chunk'>>;
  }
}
