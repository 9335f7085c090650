import type { Batch } from './lifecycle/transitions.js';

/** The webhook of a batch: the number of attempts so far, and when the next one is due; null: none is. */
export type WebhookState = Exclude<Batch['webhook'], null>;

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

/** A batch whose webhook is called, and its address. */
export interface Called {
  readonly batch: Batch;
  readonly address: string;
}
