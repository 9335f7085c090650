import type { Clock } from '../../../base/index.js';
import { type Batch, requireStoredRoom, type StoredBounds, storedBytesOf } from '../../../batch/index.js';
import type { Queryable } from '../postgres/statement.js';
import { storedBytes } from './tables/submissions.js';

/** The sums are read again after this many milliseconds. */
const FRESH_MS = 10_000;

/**
 * Bounds the bytes of stored batches, in total and by workspace. To sum them, the database reads every batch, so the sums
 * are read at most every FRESH_MS. The bounds can be exceeded by what other nodes store in that time.
 */
export class DatabaseStoredBytes {
  private sums = new Map<string, number>();
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly sql: Queryable,
    private readonly clock: Clock,
    private readonly bounds: StoredBounds,
  ) {}

  /** Rejects with ApiError `batch_unavailable` if further bytes of a workspace do not fit. */
  async requireRoom(workspace: string, bytes: number): Promise<void> {
    if (this.clock.monotonic() - this.readAt > FRESH_MS) await this.read();
    let total = bytes;
    for (const sum of this.sums.values()) total += sum;
    requireStoredRoom(this.bounds, total, (this.sums.get(workspace) ?? 0) + bytes);
  }

  /** Counts a batch that this node has stored. */
  add(batch: Batch): void {
    const { workspace } = batch;
    this.sums.set(workspace, (this.sums.get(workspace) ?? 0) + storedBytesOf(batch));
  }

  private read(): Promise<void> {
    this.reading ??= storedBytes(this.sql)
      .then((sums) => {
        this.sums = new Map(sums);
        this.readAt = this.clock.monotonic();
      })
      .finally(() => {
        this.reading = null;
      });
    return this.reading;
  }
}
