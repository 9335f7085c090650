import {
  type Batch,
  type CallChange,
  type CalledBatches,
  isStateSeen,
  openWebhook,
} from '../../../../batch/index.js';
import type { Database } from '../../postgres/database.js';
import { SessionLost } from '../../session/fence.js';
import { fenced, type NodeSession } from '../../session/fenced.js';
import type { DataKeys } from '../data-keys.js';
import { lockBatch, putBatch } from '../tables/batch-table.js';
import { findDueWebhook } from '../tables/due.js';
import { dataKey, webhook } from '../tables/values.js';

interface Parts {
  /** The session that has the maintenance. */
  readonly node: number;
  readonly database: Database;
  readonly session: Pick<NodeSession, 'lost'>;
  readonly keys: DataKeys;
}

/** The batches of the database whose webhooks are called. */
export class DatabaseCalledBatches implements CalledBatches {
  constructor(private readonly parts: Parts) {}

  /** Resolves at once: `find` reads the database. */
  async written(): Promise<void> {}

  /**
   * Undefined also if no call is due now: the list of due calls may have been read before the outcome of the last one was
   * written. The duty adds the batch again when its next call is due.
   */
  async find(id: string): Promise<{ readonly batch: Batch; readonly address: string } | undefined> {
    const { database, keys } = this.parts;
    const batch = await findDueWebhook(database, id);
    if (batch === undefined) return undefined;
    const [sealedKey, sealed] = [await dataKey(database, id), await webhook(database, id)];
    if (sealedKey === undefined || sealed === undefined) return undefined;
    return { batch, address: openWebhook({ id, dataKey: keys.open(id, sealedKey) }, sealed) };
  }

  /**
   * Undefined also if the session has ended: the call may have taken so long that another node has made it too, and has
   * written what it came to.
   */
  async update(id: string, seen: Batch['webhook'], change: CallChange): Promise<Batch | undefined> {
    const { database, session, node } = this.parts;
    try {
      return await fenced(database, session, node, async (transaction) => {
        const { batch, now = 0 } = (await lockBatch(transaction, id)) ?? {};
        if (batch === undefined || batch.webhook === null || batch.deleted) return undefined;
        if (!isStateSeen(batch.webhook, seen)) return undefined;
        const after: Batch = { ...batch, ...change(batch.webhook, now) };
        await putBatch(transaction, after);
        return after;
      });
    } catch (error) {
      if (error instanceof SessionLost) return undefined;
      throw error;
    }
  }
}
