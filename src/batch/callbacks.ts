import { LIMITS } from '../api/index.js';
import { type Clock, type Owner, ShareCounts, type Shares, StoreError } from '../base/index.js';
import type { BatchReports, Webhooks } from './batch-dependencies.js';
import { type Batch, STATUS_OF } from './lifecycle/batch-transitions.js';
import type { FinishedBatch } from './webhook/call-webhook.js';
import type { WebhookOutcome } from './webhook/webhook-outcome.js';

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

/** Concurrent calls. A call takes at most LIMITS.webhookTimeoutMs, including the DNS lookup. */
export const CALL_SHARES = { key: 4, workspace: 8, all: 64 } as const satisfies Shares;
/** If a finished batch cannot be written to the disk, its call is tried again after this time. */
const UNWRITTEN_WAIT_MS = 1_000;

/** Delay after 0, 1 and 2 failed attempts, in milliseconds. */
const WAITS_MS = [0, 30_000, 300_000];
/** A wait varies by up to this fraction, so that calls that failed together do not return together. */
const JITTER = 0.2;
/** The longest wait, in milliseconds. */
const WEBHOOK_WAIT_MS_MAX = Math.max(...WAITS_MS) * (1 + JITTER);

interface Parts {
  readonly batches: CalledBatches;
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly webhooks: Webhooks;
  readonly reports: BatchReports;
}

/** The calls of one key that are due now or later. */
interface Waiting {
  readonly owner: Owner;
  /** By batch: when its call is due, on the monotonic clock. In the order in which they were added. */
  readonly due: Map<string, number>;
}

/** A call that has ended. `seen`: the state of the webhook before it; null: it could not be read. */
interface CallEnd {
  readonly id: string;
  readonly seen: Batch['webhook'];
  readonly outcome: WebhookOutcome;
}

/**
 * Calls the webhooks of finished batches (contract 6). The number of attempts and the time of the next one are stored
 * with the batch, so that a restart continues with them. An attempt whose outcome was lost in a crash is made again.
 *
 * Each key and workspace has a share of the concurrent calls, and keys take turns: receivers that do not answer, and
 * names that do not resolve, delay only the calls of the key that named them.
 */
export class Callbacks {
  /** By key, in the order of their turns. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly counts = new ShareCounts(CALL_SHARES);
  /** By batch. */
  private readonly calling = new Map<string, Promise<void>>();
  private stopped = false;
  private cancelWake = () => {};

  constructor(private readonly parts: Parts) {}

  /** Adds a finished batch. Its stored time is clamped, because a wrong clock may have written it. */
  add({ id, key, workspace, webhook }: Batch): void {
    if (webhook === null || webhook.due === null) return;
    const wait = Math.max(0, Math.min(webhook.due - this.parts.clock.now(), WEBHOOK_WAIT_MS_MAX));
    this.put({ key, workspace }, id, wait);
    this.run();
  }

  /** Whether a call of a batch waits or is in progress. */
  has({ id, key }: Batch): boolean {
    return this.calling.has(id) || this.waiting.get(key)?.due.has(id) === true;
  }

  /** Starts no more calls. Resolves when those in progress have ended and their outcomes have been passed on. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelWake();
    await Promise.all(this.calling.values());
  }

  private put(owner: Owner, id: string, waitMs: number): void {
    const found = this.waiting.get(owner.key) ?? { owner, due: new Map<string, number>() };
    this.waiting.set(owner.key, found);
    found.due.set(id, this.parts.clock.monotonic() + waitMs);
  }

  private run(): void {
    this.cancelWake();
    if (this.stopped) return;
    const now = this.parts.clock.monotonic();
    while (this.startNext(now));
    const next = this.nextDue(now);
    if (next !== null) this.cancelWake = this.parts.clock.after(Math.max(1, next - now), () => this.run());
  }

  /** Starts a call of the first key that may have one more, and ends that key's turn. False if there is no such key. */
  private startNext(now: number): boolean {
    for (const { owner, due } of this.waiting.values()) {
      if (this.counts.exceededBy(owner, 1) !== null) continue;
      const ready = [...due].find(([, at]) => at <= now);
      if (ready === undefined) continue;
      const [id] = ready;
      due.delete(id);
      this.waiting.delete(owner.key);
      if (due.size > 0) this.waiting.set(owner.key, { owner, due });
      this.start(owner, id);
      return true;
    }
    return false;
  }

  private start(owner: Owner, id: string): void {
    this.counts.add(owner, 1);
    const attempt = this.attempt(owner, id).finally(() => {
      this.counts.add(owner, -1);
      this.calling.delete(id);
      this.run();
    });
    this.calling.set(id, attempt);
  }

  /** When the next call becomes due. Calls that are due already start when a call in progress ends. */
  private nextDue(now: number): number | null {
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of this.waiting.values()) {
      for (const at of due.values()) if (at > now && at < next) next = at;
    }
    return next === Number.POSITIVE_INFINITY ? null : next;
  }

  private async attempt(owner: Owner, id: string): Promise<void> {
    try {
      // The receiver may ask for the batch at once, and must find it finished.
      await this.parts.batches.written();
    } catch {
      // The ledger has reported why.
      this.put(owner, id, UNWRITTEN_WAIT_MS);
      return;
    }
    try {
      const called = await this.call(id);
      if (called !== null) await this.keep(called);
    } catch (error) {
      this.parts.reports.error(error, id);
    }
  }

  /** Null: there is nothing to call. */
  private async call(id: string): Promise<CallEnd | null> {
    let found: Awaited<ReturnType<CalledBatches['find']>>;
    try {
      found = await this.parts.batches.find(id);
    } catch (error) {
      // An address that cannot be decrypted would otherwise be tried, and reported, without end.
      if (!(error instanceof StoreError)) throw error;
      this.parts.reports.error(error, id);
      return { id, seen: null, outcome: 'address_unreadable' };
    }
    if (found === undefined) return null;
    const { batch, address } = found;
    const status = STATUS_OF[batch.state] as FinishedBatch['status'];
    return { id, seen: batch.webhook, outcome: await this.parts.webhooks.call(address, { id, status }) };
  }

  private async keep({ id, seen, outcome }: CallEnd): Promise<void> {
    const after = await this.parts.batches.update(id, seen, (webhook, now) => {
      const attempts = webhook.attempts + 1;
      const wait = outcome === 'delivered' ? null : webhookWaitMs(attempts, this.parts.random);
      return { webhook: { attempts, due: wait === null ? null : now + wait }, called: { outcome } };
    });
    if (after === undefined || after.webhook === null) return;
    this.parts.reports.called(id, outcome, after.webhook.due !== null);
    this.add(after);
  }
}

/**
 * The wait before the next attempt at a webhook, in milliseconds, after `attempts` failed ones; null if there are no more
 * (contract 6 rules 3 and 4). Depends on the stored number of attempts alone, so that a restart changes nothing.
 * `random` returns 0 ≤ x < 1.
 */
export function webhookWaitMs(attempts: number, random: () => number): number | null {
  if (attempts >= LIMITS.webhookAttempts) return null;
  const wait = WAITS_MS[attempts] as number;
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random()));
}
