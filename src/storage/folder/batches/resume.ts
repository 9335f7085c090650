import { nextTurn } from '../../../base/index.js';
import {
  type Batch,
  type BatchKey,
  type BatchReports,
  type Callbacks,
  isFinished,
  OpenBatch,
  type Runner,
} from '../../../batch/index.js';
import type { Store } from '../lmdb/store.js';
import type { Sealer } from '../master-key/sealer.js';
import type { FolderStoredBytes } from './stored-bytes.js';

interface Parts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly runner: Runner;
  readonly callbacks: Callbacks;
  readonly storage: Pick<FolderStoredBytes, 'note'>;
  readonly reports: BatchReports;
}

/** Continues the batches and webhooks that the last process left open, oldest batch first. Rejects with StoreError. */
export async function resumeBatches(parts: Parts): Promise<void> {
  const open: Batch[] = [];
  for await (const { value: batch } of parts.store.table('batches').entriesInTurns()) {
    if (batch.deleted) continue;
    parts.storage.note(batch);
    if (isFinished(batch)) parts.callbacks.add(batch);
    else open.push(batch);
  }
  for (const batch of open.sort((a, b) => a.created - b.created)) {
    await resumeBatch(parts, batch);
    await nextTurn();
  }
}

async function resumeBatch(parts: Parts, batch: Batch): Promise<void> {
  const open = new OpenBatch(batch, keyOf(parts, batch));
  for await (const [, line] of parts.store.table('batch_results').keysInTurns(batch.id)) {
    open.resolve(line as number);
  }
  for await (const { key, value } of parts.store.table('batch_aborts').entriesInTurns(batch.id)) {
    open.aborts.set(key[1] as number, value);
  }
  parts.runner.add(open);
}

/** Null if the data key is damaged or missing. The server starts nevertheless; no line of the batch runs. */
function keyOf({ sealer, reports }: Parts, { id }: Batch): BatchKey | null {
  try {
    const dataKey = sealer.dataKey(id);
    if (dataKey === undefined) throw new Error('the batch has no data key');
    return { id, dataKey };
  } catch (error) {
    reports.error(error, id);
    return null;
  }
}
