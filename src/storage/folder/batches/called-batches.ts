import type { Clock } from '../../../base/index.js';
import {
  type Batch,
  type CallChange,
  type Called,
  type CalledBatches,
  isStateSeen,
  openWebhook,
  type WebhookState,
} from '../../../batch/index.js';
import type { Store } from '../lmdb/store.js';
import type { Sealer } from '../master-key/sealer.js';
import type { FolderWorkBuffer } from './work-buffer.js';

/** The batches of the data folder whose webhooks are called. */
export class FolderCalledBatches implements CalledBatches {
  constructor(
    private readonly store: Store,
    private readonly sealer: Sealer,
    private readonly buffer: FolderWorkBuffer,
    private readonly clock: Clock,
  ) {}

  written(): Promise<void> {
    return this.buffer.flush();
  }

  find(id: string): Called | undefined {
    const batch = this.buffer.get(id);
    if (batch === undefined || batch.webhook === null || batch.deleted) return undefined;
    const dataKey = this.sealer.dataKey(id);
    const sealed = this.store.table('batch_webhooks').get(id);
    if (dataKey === undefined || sealed === undefined) return undefined;
    return { batch, address: openWebhook({ id, dataKey }, sealed) };
  }

  update(id: string, seen: WebhookState | null, change: CallChange): Batch | undefined {
    // Read first, because reading it may make the calendar jump and move the batch's times.
    const now = this.clock.now();
    // Read again: the batch may have been collected during the call.
    const batch = this.buffer.get(id);
    if (batch === undefined || batch.webhook === null || batch.deleted) return undefined;
    if (!isStateSeen(batch.webhook, seen)) return undefined;
    const after: Batch = { ...batch, ...change(batch.webhook, now) };
    this.buffer.put(after);
    return after;
  }
}
