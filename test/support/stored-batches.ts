import { randomLetters } from '../../src/base/index.js';
import { sealResult } from '../../src/batch/sealed-values.js';
import { placeOf, seal } from '../../src/sealing/index.js';
import type { Sealer, Store } from '../../src/storage/folder/index.js';
import type { Value } from '../../src/storage/folder/lmdb/table.js';
import type { RawWrite } from '../../src/storage/folder/lmdb/writes.js';

const CHUNK_LINES = 256;
/** Of one transaction. */
const WRITES_MAX = 1_000;
const DAY_MS = 24 * 3_600_000;

interface StoredBatches {
  readonly key: string;
  readonly workspace: string;
  readonly count: number;
  /** Of each batch. */
  readonly lines: number;
  /** Of each result. */
  readonly resultBytes: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Stores batches that have finished, as the server would have, and returns their ids; the key has no others. */
export async function storeFinishedBatches(
  store: Store,
  sealer: Sealer,
  { count, ...batch }: StoredBatches,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `batch_${randomLetters(24)}`);
  let writes: RawWrite[] = [];
  for (const [number, id] of ids.entries()) {
    writes.push(...writesOf(store, sealer, { id, number, ...batch }));
    if (writes.length < WRITES_MAX && number + 1 < count) continue;
    await store.write(writes);
    writes = [];
  }
  return ids;
}

function writesOf(
  store: Store,
  sealer: Sealer,
  batch: Omit<StoredBatches, 'count'> & { readonly id: string; readonly number: number },
): RawWrite[] {
  const { id, key, number, lines } = batch;
  const { key: dataKey, write } = sealer.newDataKey(id);
  const writes = [
    write(),
    store.table('batches').write([id], rowOf(batch)),
    store.table('batch_order').write([key, number], id),
  ];
  for (let first = 0; first < lines; first += CHUNK_LINES) {
    const ids = Array.from({ length: Math.min(CHUNK_LINES, lines - first) }, (_, at) => `line-${first + at}`);
    const value = Buffer.from(JSON.stringify({ first, ids: ids.map((each) => [each, 'decider-g-12b']) }));
    const chunk = first / CHUNK_LINES;
    const place = placeOf('batch_ids', id, chunk);
    writes.push(store.table('batch_ids').write([id, chunk], seal(dataKey, place, value)));
    for (const [at, each] of ids.entries()) {
      const sealed = sealResult({ id, dataKey }, first + at, resultOf(each, batch));
      writes.push(store.table('batch_results').write([id, first + at], sealed));
    }
  }
  return writes;
}

function resultOf(customId: string, { resultBytes }: { readonly resultBytes: number }): string {
  const result = (filling: string) => JSON.stringify({ custom_id: customId, status: 200, filling });
  return result('x'.repeat(Math.max(0, resultBytes - result('').length)));
}

const rowOf = ({
  id,
  key,
  workspace,
  number,
  lines,
  now,
}: Omit<StoredBatches, 'count'> & { readonly id: string; readonly number: number }): Value<'batches'> => ({
  id,
  key,
  workspace,
  number,
  state: 'done',
  lines,
  chunks: Math.ceil(lines / CHUNK_LINES),
  done: lines,
  failed: 0,
  models: ['decider-g-12b'],
  created: now,
  started: now,
  finished: now,
  expires: now + DAY_MS,
  collected: null,
  reason: null,
  estimate: { amount: '1000000', inputTokens: 100, rate: 0.5 },
  webhook: null,
  called: undefined,
  deleted: false,
  stored: undefined,
});
