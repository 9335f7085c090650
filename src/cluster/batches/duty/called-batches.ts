import { type Batch, type CalledBatches, openWebhook } from '../../../batch/index.js';
import type { Database } from '../../../postgres/index.js';
import type { DataKeys } from '../data-keys.js';
import { lockBatch, putBatch } from '../tables/batches.js';
import { findDueWebhook } from '../tables/due.js';
import { dataKey, webhook } from '../tables/values.js';

/** The batches of the database whose webhooks are called. */
export class ClusterCalledBatches implements CalledBatches {
  constructor(
    private readonly database: Database,
    private readonly keys: DataKeys,
  ) {}

  /** Resolves at once: `find` reads the database. */
  async written(): Promise<void> {}

  /**
   * Undefined also if no call is due now: the list of due calls may have been read before the outcome of the last one was
   * written. The duty adds the batch again when its next call is due.
   */
  async find(id: string): Promise<{ readonly batch: Batch; readonly address: string } | undefined> {
    const batch = await findDueWebhook(this.database, id);
    if (batch === undefined) return undefined;
    const [sealedKey, sealed] = [await dataKey(this.database, id), await webhook(this.database, id)];
    if (sealedKey === undefined || sealed === undefined) return undefined;
    return { batch, address: openWebhook({ id, dataKey: this.keys.open(id, sealedKey) }, sealed) };
  }

  update(id: string, change: Parameters<CalledBatches['update']>[1]): Promise<Batch | undefined> {
    return this.database.transaction(async (transaction) => {
      const { batch, now = 0 } = (await lockBatch(transaction, id)) ?? {};
      if (batch === undefined || batch.webhook === null || batch.deleted) return undefined;
      const after: Batch = { ...batch, webhook: change(batch.webhook, now) };
      await putBatch(transaction, after);
      return after;
    });
  }
}
