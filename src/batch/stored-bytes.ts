import type { BatchParts } from './batch-dependencies.js';
import { type Batch, isFinished } from './lifecycle/batch-transitions.js';
import { noRoom, noRoomForWorkspace } from './refusals.js';

/** The size of LMDB's pages on most machines. */
const PAGE_BYTES = 4_096;
/** What a value takes besides its own bytes, about: its key, its place in a page. */
const ENTRY_BYTES = 64;

/** About what a value takes in the data file, in bytes. One larger than half a page has pages of its own. */
export const entryBytes = (length: number): number =>
  ENTRY_BYTES + (length <= PAGE_BYTES / 2 ? length : Math.ceil(length / PAGE_BYTES) * PAGE_BYTES);

/** What the values of a new batch take, in bytes: its lines, which go when it finishes, and what stays until it is deleted. */
export const storedOf = (
  chunks: ReadonlyArray<Readonly<Record<'lines' | 'ids', Uint8Array>>>,
): NonNullable<Batch['stored']> => ({
  lines: chunks.reduce((sum, each) => sum + entryBytes(each.lines.length), 0),
  other: chunks.reduce((sum, each) => sum + entryBytes(each.ids.length), 0),
});

/** What a batch takes now, in bytes; 0 for one that an early version stored. The database sums the same in SQL. */
export function storedBytesOf(batch: Batch): number {
  if (batch.deleted || batch.stored === undefined) return 0;
  return batch.stored.other + (isFinished(batch) ? 0 : batch.stored.lines);
}

/** The bounds of stored batches. They can be reloaded. */
export type StoredBounds = Pick<BatchParts, 'storedBytesMax' | 'workspacePercent'>;

/**
 * Throws ApiError `batch_unavailable` if the batches of all workspaces, or those of one (`share`), take more bytes than they
 * may. Both storages count a share by `storedBytesOf`, but not the total: LMDB knows the pages of its tables, whereas a
 * database would have to measure tables whose free space it does not give back, and so sums the shares.
 */
export function requireStoredRoom(bounds: StoredBounds, total: number, share: number): void {
  const max = bounds.storedBytesMax();
  if (total > max) throw noRoom();
  const percent = bounds.workspacePercent();
  // A percentage as a fraction is not exact: the share would be refused at its bound.
  if (share * 100 > max * percent) throw noRoomForWorkspace(percent);
}
