import { FairQueue, type Owner } from '../../base/index.js';
import type { Store } from '../../store/index.js';
import { readChunk } from './read-chunk.js';
import { readList } from './read-list.js';
import { readResults } from './read-results.js';

/** What the reading thread does: everything that takes longer the more is stored. */
const TASKS = { chunk: readChunk, results: readResults, list: readList };

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

const ONE = { key: 1, workspace: 1, all: 1 };
/** Whoever waits has a request that http has let in: that is what bounds them. */
const UNBOUNDED = { key: Infinity, workspace: Infinity, all: Infinity };

/**
 * Whose stored data is read next, on a thread that does one task after the other. Of what callers want one task at a
 * time is given to it, of one piece, so that it is short; keys take turns, however many downloads one of them has. What
 * the runner wants is given to it at once, and so waits for no more than one piece.
 */
export class Reader {
  private readonly callers = new FairQueue(ONE, UNBOUNDED);

  /** `run`: does a task on the thread, see `readStored`. */
  constructor(private readonly run: (call: ReadCall) => Promise<unknown>) {}

  /** For a caller. Rejects with what the thread says. */
  read<Name extends ReadName>(owner: Owner, name: Name, task: ReadTask<Name>): Promise<ReadAnswer<Name>> {
    return this.callers.run(owner, () => this.run({ name, task }) as Promise<ReadAnswer<Name>>);
  }

  /** For the runner. */
  chunk(task: ReadTask<'chunk'>): Promise<ReadAnswer<'chunk'>> {
    return this.run({ name: 'chunk', task }) as Promise<ReadAnswer<'chunk'>>;
  }
}
