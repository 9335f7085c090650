import { StoreError } from '../../../base/index.js';
import {
  type Batch,
  type BatchKey,
  type BatchLine,
  type ChunkIds,
  openIds,
  openLines,
  openResult,
  openWebhook,
} from '../../../batch/index.js';
import type { Store } from '../lmdb/store.js';
import type { Sealer } from '../master-key/sealer.js';

/** A value that is missing is read as damaged. */
const MISSING = Buffer.alloc(0);

/** The encrypted values of one batch in the data folder. Throws StoreError if one is missing or damaged. */
export class SealedBatch {
  constructor(
    private readonly store: Store,
    readonly key: BatchKey,
  ) {}

  /** Undefined if the data key has been deleted. */
  static open(store: Store, sealer: Sealer, { id }: Pick<Batch, 'id'>): SealedBatch | undefined {
    const dataKey = sealer.dataKey(id);
    return dataKey && new SealedBatch(store, { id, dataKey });
  }

  /**
   * Throws StoreError if the batch is being deleted, because what is left is incomplete. The answer holds for what is
   * read in the same turn of the event loop.
   */
  checkExists(): void {
    const { id } = this.key;
    if (this.store.table('data_keys').get(id) !== undefined) return;
    throw new StoreError(`The batch ${id} has been deleted.`);
  }

  /** The lines of a chunk as they were sent. */
  lines(chunk: number): BatchLine[] {
    const stored = { lines: this.read('batch_lines', chunk), ids: this.read('batch_ids', chunk) };
    return openLines(this.key, chunk, stored);
  }

  ids(chunk: number): ChunkIds {
    return openIds(this.key, chunk, this.read('batch_ids', chunk));
  }

  /** A line's result as JSON; undefined if it has none. */
  result(index: number): Buffer | undefined {
    const sealed = this.store.table('batch_results').get(this.key.id, index);
    return sealed && openResult(this.key, index, sealed);
  }

  webhook(): string | undefined {
    const sealed = this.store.table('batch_webhooks').get(this.key.id);
    return sealed && openWebhook(this.key, sealed);
  }

  private read(table: 'batch_lines' | 'batch_ids', chunk: number): Uint8Array {
    return this.store.table(table).get(this.key.id, chunk) ?? MISSING;
  }
}
