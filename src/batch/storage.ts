import { ApiError } from '../api/index.js';
import type { RawWrite, Store } from '../store/index.js';

const RETRY_SECONDS = 300;

/**
 * Bounds what stored batches take in the data file: pages of their tables. Checked when a batch is submitted. Results of
 * accepted batches are always stored, even beyond the bound.
 */
export class BatchStorage {
  /** Bytes of batches that are being written. */
  private writing = 0;

  constructor(
    private readonly store: Pick<Store, 'bytesOf'>,
    private readonly bytesMax: () => number,
  ) {}

  /**
   * Counts the values of a new batch until the returned function is called; by then they are stored, or refused by the
   * disk. Throws ApiError `batch_unavailable` if they do not fit.
   */
  take(writes: readonly RawWrite[]): () => void {
    const bytes = writes.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    this.requireRoom(bytes);
    this.writing += bytes;
    return () => {
      this.writing -= bytes;
    };
  }

  /** Throws ApiError `batch_unavailable` if a batch of so many bytes does not fit; by default, of any size. */
  requireRoom(bytes = 1): void {
    if (this.store.bytesOf('batch') + this.writing + bytes > this.bytesMax()) {
      throw new ApiError(
        'batch_unavailable',
        'The server has no room for more batches until stored ones are deleted.',
        {
          retryAfterSeconds: RETRY_SECONDS,
        },
      );
    }
  }
}
