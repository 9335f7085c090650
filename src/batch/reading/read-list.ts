import type { Store } from '../../store/index.js';
import { batchObject } from '../batch-object.js';
import type { Batch } from '../lifecycle/transitions.js';
import { PIECE_BYTES } from './read-results.js';

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

export interface ListAnswer {
  /** Batch objects (contract 2.6), separated by commas. */
  readonly json: string;
  readonly count: number;
  /** The number of the next batch; null if there is none. */
  readonly next: number | null;
}

/** Lists a key's batches, except deleted ones, oldest first. Throws StoreError. */
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
