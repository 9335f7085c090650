import { FairQueue, type Owner } from '../../../../base/index.js';
import {
  type Batch,
  type BatchTerms,
  type ChunkAnswer,
  type ChunkTask,
  chunkAnswer,
  type ListAnswer,
  listAnswer,
  type ResultsAnswer,
  type ResultsTask,
  resultsPiece,
} from '../../../../batch/index.js';
import type { Store } from '../../lmdb/store.js';
import { SealedBatch } from '../sealed-batch.js';

/** A part of the list of a key's batches. */
interface ListTask {
  readonly key: string;
  /** The number of the first batch, among those of the key. */
  readonly from: number;
  /** The most batches to return; null: as many as fit in one piece. */
  readonly count: number | null;
  /** Batches of the key whose state on the disk is older. */
  readonly newer: readonly Batch[];
  readonly terms: BatchTerms;
}

/** Lists a key's batches, except deleted ones, oldest first. Throws StoreError. */
function readList(store: Store, { key, from, count, newer, terms }: ListTask): ListAnswer {
  return listAnswer(batchesFrom(store, key, from, newer), count, terms);
}

/** The batches of a key from a number on, in their current states. */
function* batchesFrom(store: Store, key: string, from: number, newer: readonly Batch[]): Generator<Batch> {
  const changed = new Map(newer.map((batch) => [batch.id, batch]));
  for (const { value: id } of store.table('batch_order').entriesFrom([key], from)) {
    const batch = changed.get(id) ?? store.table('batches').get(id);
    if (batch !== undefined) yield batch;
  }
}

/** Reads results of a finished batch; see `resultsPiece`. Throws StoreError if the batch has been deleted. */
export function readResults(store: Store, task: ResultsTask): ResultsAnswer {
  const { batch, dataKey, from } = task;
  const sealed = new SealedBatch(store, { id: batch.id, dataKey });
  sealed.checkExists();
  return resultsPiece(task, sealed.ids(from.chunk), (line) => sealed.result(line));
}

/** Reads and decrypts a chunk of lines. */
export function readChunk(store: Store, { batch, chunk }: ChunkTask): ChunkAnswer {
  return chunkAnswer(() => new SealedBatch(store, batch).lines(chunk));
}

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
