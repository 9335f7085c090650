import { type Batch, entryBytes, isFinished, noRoom, noRoomForWorkspace } from '../../../batch/index.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writer-thread.js';

/** What a batch takes in the data file, in bytes; 0 for one that an earlier version stored. */
function bytesOf(batch: Batch): number {
  if (batch.deleted || batch.stored === undefined) return 0;
  return batch.stored.other + (isFinished(batch) ? 0 : batch.stored.lines);
}

/** The bounds of stored batches. They can be reloaded. */
interface Bounds {
  /** Bytes of all. */
  bytesMax(): number;
  /** The percentage of these bytes that one workspace may take. */
  workspacePercent(): number;
}

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
    private readonly bounds: Bounds,
  ) {}

  /** Counts a batch as it is now for its workspace. */
  note(batch: Batch): void {
    const bytes = bytesOf(batch);
    this.addShare(batch.workspace, bytes - (this.counted.get(batch.id) ?? 0));
    if (bytes === 0) this.counted.delete(batch.id);
    else this.counted.set(batch.id, bytes);
  }

  /**
   * Counts the values of a new batch of a workspace until the returned function is called; by then they are stored, or
   * refused by the disk. Throws ApiError `batch_unavailable` if they do not fit.
   */
  take(workspace: string, writes: readonly RawWrite[]): () => void {
    const lengths = writes.map(({ value }) => value?.length ?? 0);
    const bytes = lengths.reduce((sum, length) => sum + length, 0);
    const share = lengths.reduce((sum, length) => sum + entryBytes(length), 0);
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
    const bytesMax = this.bounds.bytesMax();
    if (this.store.bytesOf('batch') + this.writing + bytes > bytesMax) {
      throw noRoom();
    }
    const percent = this.bounds.workspacePercent();
    if ((this.shares.get(workspace) ?? 0) + share > (bytesMax / 100) * percent) {
      throw noRoomForWorkspace(percent);
    }
  }

  private addShare(workspace: string, bytes: number): void {
    const sum = (this.shares.get(workspace) ?? 0) + bytes;
    if (sum === 0) this.shares.delete(workspace);
    else this.shares.set(workspace, sum);
  }
}
