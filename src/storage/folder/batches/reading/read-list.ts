import { type Batch, type ListAnswer, listAnswer } from '../../../../batch/index.js';
import type { Store } from '../../lmdb/store.js';

/** A part of the list of a key's batches. */
interface ListTask {
  readonly key: string;
  /** The number of the first batch, among those of the key. */
  readonly from: number;
  /** The most batches to return; null: as many as fit in one piece. */
  readonly count: number | null;
  /** Batches of the key whose state on the disk is older. */
  readonly newer: readonly Batch[];
  readonly currency: string;
}

/** Lists a key's batches, except deleted ones, oldest first. Throws StoreError. */
export function readList(store: Store, { key, from, count, newer, currency }: ListTask): ListAnswer {
  return listAnswer(batchesFrom(store, key, from, newer), count, currency);
}

/** The batches of a key from a number on, in their current states. */
function* batchesFrom(store: Store, key: string, from: number, newer: readonly Batch[]): Generator<Batch> {
  const changed = new Map(newer.map((batch) => [batch.id, batch]));
  for (const { value: id } of store.table('batch_order').entriesFrom([key], from)) {
    const batch = changed.get(id) ?? store.table('batches').get(id);
    if (batch !== undefined) yield batch;
  }
}
