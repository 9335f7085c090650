import { placeOf, type RawWrite, type Sealer, type Store, StoreError, seal, unseal } from '../store/index.js';
import type { ChunkIds } from './ingest/chunks.js';
import type { Batch } from './lifecycle/transitions.js';

const LINE_FEED = 10;

/** A line that has no result yet. */
export interface BatchLine {
  /** Position in the batch, from 0. */
  readonly index: number;
  /** The chunk that holds it. */
  readonly chunk: number;
  readonly customId: string;
  /** As the line names it. */
  readonly model: string;
  /** JSON: a decide request with two more fields. */
  readonly body: Buffer;
  /** Tries so far. */
  readonly tries: number;
}

/** What a thread needs to decrypt the values of a batch. */
export interface BatchKey {
  readonly id: string;
  readonly dataKey: Uint8Array;
}

/** The encrypted values of one batch. Throws StoreError if one is missing or damaged. */
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
    const { first, ids } = this.ids(chunk);
    const bytes = this.read('batch_lines', chunk);
    let start = 0;
    return ids.map(([customId, model], at) => {
      const end = bytes.indexOf(LINE_FEED, start);
      const body = bytes.subarray(start, end < 0 ? bytes.length : end);
      start += body.length + 1;
      return { index: first + at, chunk, customId, model, body, tries: 0 };
    });
  }

  ids(chunk: number): ChunkIds {
    return JSON.parse(this.read('batch_ids', chunk).toString()) as ChunkIds;
  }

  /** A line's result as JSON; undefined if it has none. */
  result(index: number): Buffer | undefined {
    const sealed = this.store.table('batch_results').get(this.key.id, index);
    return sealed && unseal(this.key.dataKey, placeOf('batch_results', this.key.id, index), sealed);
  }

  writeResult(index: number, json: string): RawWrite {
    const sealed = seal(this.key.dataKey, placeOf('batch_results', this.key.id, index), Buffer.from(json));
    return this.store.table('batch_results').write([this.key.id, index], sealed);
  }

  webhook(): string | undefined {
    const sealed = this.store.table('batch_webhooks').get(this.key.id);
    return sealed && unseal(this.key.dataKey, placeOf('batch_webhooks', this.key.id), sealed).toString();
  }

  private read(table: 'batch_lines' | 'batch_ids', chunk: number): Buffer {
    const place = placeOf(table, this.key.id, chunk);
    const sealed = this.store.table(table).get(this.key.id, chunk);
    return unseal(this.key.dataKey, place, sealed ?? Buffer.alloc(0));
  }
}
