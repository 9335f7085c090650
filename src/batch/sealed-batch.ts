import { placeOf, type RawWrite, type Sealer, type Store, seal, unseal } from '../store/index.js';
import type { BatchLine } from './batch-line.js';
import type { ChunkIds } from './ingest/index.js';
import type { Batch } from './lifecycle/index.js';

const LINE_FEED = 10;

/** The sealed values of one batch, opened with its data key. Throws StoreError where one is missing or damaged. */
export class SealedBatch {
  private constructor(
    private readonly store: Store,
    private readonly id: string,
    private readonly dataKey: Buffer,
  ) {}

  /** Undefined where its key has been destroyed. */
  static open(store: Store, sealer: Sealer, { id }: Pick<Batch, 'id'>): SealedBatch | undefined {
    const dataKey = sealer.dataKey(id);
    return dataKey && new SealedBatch(store, id, dataKey);
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

  /** A line's result as JSON text; undefined where it has none. */
  result(index: number): Buffer | undefined {
    const sealed = this.store.table('batch_results').get(this.id, index);
    return sealed && unseal(this.dataKey, placeOf('batch_results', this.id, index), sealed);
  }

  writeResult(index: number, json: string): RawWrite {
    const sealed = seal(this.dataKey, placeOf('batch_results', this.id, index), Buffer.from(json));
    return this.store.table('batch_results').write([this.id, index], sealed);
  }

  webhook(): string | undefined {
    const sealed = this.store.table('batch_webhooks').get(this.id);
    return sealed && unseal(this.dataKey, placeOf('batch_webhooks', this.id), sealed).toString();
  }

  private read(table: 'batch_lines' | 'batch_ids', chunk: number): Buffer {
    const place = placeOf(table, this.id, chunk);
    const sealed = this.store.table(table).get(this.id, chunk);
    return unseal(this.dataKey, place, sealed ?? Buffer.alloc(0));
  }
}
