import type { Batch } from '../../../../batch/index.js';
import type { Store } from '../../lmdb/store.js';
import type { Sealer } from '../../master-key/sealer.js';
import { type Report, verifyBatch } from './verify-batch.js';

/** Tables whose keys begin with the id of a batch. */
const OF_BATCHES = [
  'data_keys',
  'batch_lines',
  'batch_ids',
  'batch_results',
  'batch_aborts',
  'batch_webhooks',
] as const;

/** What was read of batches that are not being deleted. */
interface Verified {
  readonly batches: number;
  readonly lines: number;
}

/**
 * Reads every stored batch: its values open with its key, its counts match its lines, every answered line was charged,
 * and no value belongs to a batch that does not exist. Synchronous, so that it reads one snapshot beside a server.
 *
 * @param otherOwners of data keys that are not those of batches
 * @throws StoreError if a table cannot be read
 */
export function verifyBatches(
  store: Store,
  sealer: Sealer,
  otherOwners: ReadonlySet<string>,
  report: Report,
): Verified {
  const known = new Set(otherOwners);
  const answered = new Map<string, number>();
  let [batches, lines] = [0, 0];
  for (const { value: batch } of store.table('batches').entries() as Iterable<{ value: Batch }>) {
    known.add(batch.id);
    answered.set(batch.key, (answered.get(batch.key) ?? 0) + batch.done);
    if (batch.deleted || store.table('batch_erasures').get(batch.id) !== undefined) continue;
    batches += 1;
    lines += batch.lines;
    verifyBatch(store, sealer, batch, report);
  }
  for (const table of OF_BATCHES) verifyOwners(store, table, known, report);
  verifyCharges(store, answered, report);
  return { batches, lines };
}

/** A deleted batch disappears after everything of it. */
function verifyOwners(
  store: Store,
  table: (typeof OF_BATCHES)[number],
  known: ReadonlySet<string>,
  report: Report,
): void {
  const reported = new Set<string>();
  for (const [id] of store.table(table).keys() as Iterable<[string]>) {
    if (known.has(id) || reported.has(id)) continue;
    reported.add(id);
    report(`${table} ${id}: there is no such batch.`);
  }
}

/** `answered`: lines by key. The counters also have the lines of deleted batches. */
function verifyCharges(store: Store, answered: ReadonlyMap<string, number>, report: Report): void {
  const charged = new Map<string, number>();
  for (const { key: parts, value } of store.table('usage').entries()) {
    const [, , key, , kind] = parts as string[];
    if (kind === 'batch') charged.set(key as string, (charged.get(key as string) ?? 0) + value.requests);
  }
  for (const [key, count] of answered) {
    const found = charged.get(key) ?? 0;
    if (found < count)
      report(`${key}: ${count} lines of its batches are answered, and ${found} were charged.`);
  }
}
