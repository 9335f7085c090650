import type { Store } from '../../store/index.js';
import { batchObject } from '../batch-object.js';
import type { Batch } from '../lifecycle/transitions.js';
import { PIECE_BYTES } from './read-results.js';

/** Some of the batches of a key that are to be listed. */
export interface ListTask {
  readonly key: string;
  /** The number of the first, among the batches of the key. */
  readonly from: number;
  /** Most that are wanted; null: as many as one piece holds. */
  readonly count: number | null;
  /** Batches of the key that are newer than on the disk. */
  readonly newer: readonly Batch[];
  readonly currency: string;
}

export interface ListAnswer {
  /** Batch objects (contract 2.6), with commas between them. */
  readonly json: string;
  readonly count: number;
  /** The number of the batch that follows; null: there is none. */
  readonly next: number | null;
}

/** Batches of a key that are not deleted, oldest first. Throws StoreError. */
export function readList(store: Store, { key, from, count, newer, currency }: ListTask): ListAnswer {
  const changed = new Map(newer.map((batch) => [batch.id, batch]));
  const objects: string[] = [];
  let bytes = 0;
  for (const { value: id } of store.table('batch_order').entriesFrom([key], from)) {
    const batch = changed.get(id) ?? store.table('batches').get(id);
    if (batch === undefined || batch.deleted) continue;
    if (bytes >= PIECE_BYTES || objects.length === count) {
      return { json: objects.join(','), count: objects.length, next: batch.number };
    }
    const json = JSON.stringify(batchObject(batch, currency));
    objects.push(json);
    bytes += json.length;
  }
  return { json: objects.join(','), count: objects.length, next: null };
}
