import { type Batch, requireStoredRoom, type StoredBounds, storedBytesOf } from '../../../batch/index.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writes.js';

/**
 * Bounds what stored batches take in the data file, in total and by workspace. Checked when a batch is submitted. Results
 * of accepted batches are always stored, even beyond the bounds.
 *
 * The total is exact: the pages of their tables. The share of a workspace is counted from its values.
 */
export class FolderStoredBytes {
  /** Bytes of batches that are being written. */
  private writing = 0;
  /** By batch. */
  private readonly counted = new Map<string, number>();
  /** By workspace, with batches that are being written. */
  private readonly shares = new Map<string, number>();

  constructor(
    private readonly store: Pick<Store, 'bytesOf'>,
    private readonly bounds: StoredBounds,
  ) {}

  /** Counts a batch as it is now for its workspace. */
  note(batch: Batch): void {
    const bytes = storedBytesOf(batch);
    this.addShare(batch.workspace, bytes - (this.counted.get(batch.id) ?? 0));
    if (bytes === 0) this.counted.delete(batch.id);
    else this.counted.set(batch.id, bytes);
  }

  /**
   * Counts a new batch, and the values that are written for it, until the returned function is called; by then they are
   * stored, or refused by the disk. Throws ApiError `batch_unavailable` if they do not fit.
   */
  take(batch: Batch, writes: readonly RawWrite[]): () => void {
    const { workspace } = batch;
    const bytes = writes.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    const share = storedBytesOf(batch);
    this.requireRoom(workspace, bytes, share);
    this.writing += bytes;
    this.addShare(workspace, share);
    return () => {
      this.writing -= bytes;
      this.addShare(workspace, -share);
    };
  }

  /**
   * Throws ApiError `batch_unavailable` if a batch with `bytes` bytes of values, which take `share` bytes, does not fit; by
   * default, of any size.
   */
  requireRoom(workspace: string, bytes = 1, share = 1): void {
    const total = this.store.bytesOf('batch') + this.writing + bytes;
    requireStoredRoom(this.bounds, total, (this.shares.get(workspace) ?? 0) + share);
  }

  private addShare(workspace: string, bytes: number): void {
    const sum = (this.shares.get(workspace) ?? 0) + bytes;
    if (sum === 0) this.shares.delete(workspace);
    else this.shares.set(workspace, sum);
  }
}
