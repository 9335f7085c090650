import { LIMITS } from '../api/index.js';
import { type Clock, type Owner, ShareCounts, type Shares } from '../base/index.js';
import type { Sealer, Store } from '../store/index.js';
import { type Batch, STATUS_OF } from './lifecycle/transitions.js';
import { SealedBatch } from './sealed-batch.js';
import type { FinishedBatch, WebhookOutcome } from './webhook/call.js';
import type { WriteBuffer } from './write-buffer.js';

/** What calling an address needs. */
export interface CallbackDependencies {
  readonly clock: Clock;
  readonly random: () => number;
  /** One attempt. Never rejects. */
  call(address: string, event: FinishedBatch): Promise<WebhookOutcome>;
  onError(error: unknown, batch: string): void;
}

/** Calls at one time. One takes no longer than LIMITS.webhookTimeoutMs, the look-up of its host included. */
export const CALL_SHARES = { key: 4, workspace: 8, all: 64 } as const satisfies Shares;
/** How long a call waits whose batch cannot be written yet. */
const UNWRITTEN_WAIT_MS = 1_000;

/** How long to wait after so many failed attempts, in milliseconds. */
const WAITS_MS = [0, 30_000, 300_000];
/** A wait is longer or shorter by up to this part, so that calls that failed together do not come back together. */
const JITTER = 0.2;
/** The longest of them, in milliseconds. */
export const WEBHOOK_WAIT_MS_MAX = Math.max(...WAITS_MS) * (1 + JITTER);

/** The calls of one key that are to be made. */
interface Waiting {
  readonly owner: Owner;
  /** When, on the monotonic clock, by batch; in the order in which they came. */
  readonly due: Map<string, number>;
}

/**
 * Calls the addresses of batches that have finished (contract 6). The number of attempts and the time of the next are
 * part of the batch and on the disk, so that a restart goes on with them; an attempt whose end a crash has
 * swallowed is made again.
 *
 * Keys and workspaces have shares of the calls at one time, and keys take turns: receivers that do not answer, or names
 * that are not found, delay the calls of those who named them.
 */
export class Callbacks {
  /** By key, the one whose turn it is first. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly counts = new ShareCounts(CALL_SHARES);
  private readonly calling = new Set<Promise<void>>();
  private stopped = false;
  private cancelWake = () => {};

  constructor(
    private readonly store: Store,
    private readonly sealer: Sealer,
    private readonly buffer: WriteBuffer,
    private readonly deps: CallbackDependencies,
  ) {}

  /** A batch has finished, or had when the process started. A time that is far off is one of a clock that was wrong. */
  add({ id, key, workspace, webhook }: Batch): void {
    if (webhook === null || webhook.due === null) return;
    const wait = Math.max(0, Math.min(webhook.due - this.deps.clock.now(), WEBHOOK_WAIT_MS_MAX));
    this.put({ key, workspace }, id, wait);
    this.run();
  }

  /** No call begins any more. Resolves when those under way have ended, and how is in the buffer. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelWake();
    await Promise.all(this.calling);
  }

  private put(owner: Owner, id: string, waitMs: number): void {
    const found = this.waiting.get(owner.key) ?? { owner, due: new Map<string, number>() };
    this.waiting.set(owner.key, found);
    found.due.set(id, this.deps.clock.monotonic() + waitMs);
  }

  private run(): void {
    this.cancelWake();
    if (this.stopped) return;
    const now = this.deps.clock.monotonic();
    while (this.startNext(now));
    const next = this.nextDue(now);
    if (next !== null) this.cancelWake = this.deps.clock.after(Math.max(1, next - now), () => this.run());
  }

  /** Starts a call of the first key that may have one more, which goes behind all others; false where none may. */
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
      this.calling.delete(attempt);
      this.run();
    });
    this.calling.add(attempt);
  }

  /** When the next call is due; those that are due already wait for a call to end, which looks for the next one. */
  private nextDue(now: number): number | null {
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of this.waiting.values()) {
      for (const at of due.values()) if (at > now && at < next) next = at;
    }
    return next === Number.POSITIVE_INFINITY ? null : next;
  }

  private async attempt(owner: Owner, id: string): Promise<void> {
    try {
      // Who is called asks for the batch at once, and must find it finished.
      await this.buffer.flush();
    } catch {
      // Whoever writes has told why.
      this.put(owner, id, UNWRITTEN_WAIT_MS);
      return;
    }
    try {
      const batch = this.buffer.get(id);
      if (batch === undefined || batch.webhook === null || batch.deleted) return;
      const address = SealedBatch.open(this.store, this.sealer, batch)?.webhook();
      if (address === undefined) return;
      const status = STATUS_OF[batch.state] as FinishedBatch['status'];
      const outcome = await this.deps.call(address, { id, status });
      this.keep(id, outcome === 'delivered');
    } catch (error) {
      this.deps.onError(error, id);
    }
  }

  private keep(id: string, delivered: boolean): void {
    // First, since the calendar may jump with it, and the times of the batch too.
    const now = this.deps.clock.now();
    // It may have been collected meanwhile.
    const batch = this.buffer.get(id);
    if (batch === undefined || batch.webhook === null || batch.deleted) return;
    const attempts = batch.webhook.attempts + 1;
    const wait = delivered ? null : webhookWaitMs(attempts, this.deps.random);
    const due = wait === null ? null : now + wait;
    const after: Batch = { ...batch, webhook: { attempts, due } };
    this.buffer.put(after);
    this.add(after);
  }
}

/**
 * How long to wait before the next attempt at a webhook, in milliseconds, when `attempts` have failed; null when there
 * is to be none (contract 6 rules 3 and 4). Computed from the stored number alone, so that a restart changes nothing.
 * `random` is drawn from 0 ≤ x < 1.
 */
export function webhookWaitMs(attempts: number, random: () => number): number | null {
  if (attempts >= LIMITS.webhookAttempts) return null;
  const wait = WAITS_MS[attempts] as number;
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random()));
}
