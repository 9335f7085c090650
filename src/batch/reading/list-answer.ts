import { type BatchTerms, batchObject } from '../batch-object.js';
import type { Batch } from '../lifecycle/batch-transitions.js';
import { PIECE_BYTES } from './results-piece.js';

export interface ListAnswer {
  /** Batch objects (contract 2.6), separated by commas. */
  readonly json: string;
  readonly count: number;
  /** The number of the next batch; null if there is none. */
  readonly next: number | null;
}

/**
 * Lists batches of one key, except deleted ones.
 *
 * @param batches in the order of their numbers; read as far as needed
 * @param count the most batches to return; null: as many as fit in one piece
 */
export function listAnswer(batches: Iterable<Batch>, count: number | null, terms: BatchTerms): ListAnswer {
  const objects: string[] = [];
  let bytes = 0;
  for (const batch of batches) {
    if (batch.deleted) continue;
    if (bytes >= PIECE_BYTES || objects.length === count) {
      return { json: objects.join(','), count: objects.length, next: batch.number };
    }
    const json = JSON.stringify(batchObject(batch, terms));
    objects.push(json);
    bytes += json.length;
  }
  return { json: objects.join(','), count: objects.length, next: null };
}
