import type { Clock } from '../base/index.js';
import type { Sealer, Store } from '../store/index.js';
import type { Batch } from './lifecycle/transitions.js';
import { openWebhook } from './sealed-values.js';
import type { WriteBuffer } from './write-buffer.js';

/** Of a batch with a webhook: the number of attempts so far, and when the next one is due; null: there is none. */
type WebhookState = Exclude<Batch['webhook'], null>;

/** What a call changes of a batch. `now`: in milliseconds since 1970. */
export type CallChange = (webhook: WebhookState, now: number) => Pick<Batch, 'webhook' | 'called'>;

/** The stored batches whose webhooks are called. */
export interface CalledBatches {
  /** Resolves when every finished batch is stored as finished. If it rejects, the call is tried again later. */
  written(): Promise<void>;
  /** The batch, and the address to call; undefined if one of them is gone. */
  find(id: string): Called | undefined | Promise<Called | undefined>;
  /**
   * Changes a batch after a call of its webhook. Returns the batch as it is then; undefined if it is gone, or if the state is
   * not `seen` any more, because another process has called the webhook meanwhile.
   *
   * @param seen the state before the call; null: it could not be read, and any state is changed
   */
  update(
    id: string,
    seen: WebhookState | null,
    change: CallChange,
  ): Batch | undefined | Promise<Batch | undefined>;
}

/** Whether the state of a webhook is the one that was read before the call. */
export const isStateSeen = ({ attempts, due }: WebhookState, seen: WebhookState | null): boolean =>
  seen === null || (seen.attempts === attempts && seen.due === due);

interface Called {
  readonly batch: Batch;
  readonly address: string;
}

/** The batches of the data folder whose webhooks are called. */
export class StoredCalledBatches implements CalledBatches {
  constructor(
    private readonly store: Store,
    private readonly sealer: Sealer,
    private readonly buffer: WriteBuffer,
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
