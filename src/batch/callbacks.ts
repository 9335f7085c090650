import type { Clock } from '../base/index.js';
import type { Sealer, Store } from '../store/index.js';
import type { Book } from './book.js';
import { type Batch, STATUS_OF } from './lifecycle/index.js';
import { SealedBatch } from './sealed-batch.js';
import { type FinishedBatch, type WebhookOutcome, webhookWaitMs } from './webhook/index.js';

/** What calling an address needs. */
export interface CallbackCalls {
  readonly clock: Clock;
  readonly random: () => number;
  /** One attempt. Never rejects. */
  call(address: string, event: FinishedBatch): Promise<WebhookOutcome>;
  onTrouble(error: unknown, batch: string): void;
}

/** Most calls at one time. */
const CALLS_MAX = 16;
/** How long a call waits whose batch cannot be written yet. */
const UNWRITTEN_WAIT_MS = 1_000;

/**
 * Calls the addresses of batches that have finished (contract 6). The number of attempts and the time of the next are
 * part of the batch and on the disk, so that a restart goes on with them; an attempt whose end a crash has
 * swallowed is made again.
 */
export class Callbacks {
  /** Batches whose address is to be called, with when, in milliseconds since 1970. */
  private readonly due = new Map<string, number>();
  private readonly calling = new Set<Promise<void>>();
  private stopped = false;
  private cancelWake = () => {};

  constructor(
    private readonly store: Store,
    private readonly sealer: Sealer,
    private readonly book: Book,
    private readonly calls: CallbackCalls,
  ) {}

  /** A batch has finished, or had when the process started. */
  add({ id, webhook }: Batch): void {
    if (webhook === null || webhook.due === null) return;
    this.due.set(id, webhook.due);
    this.run();
  }

  /** No call begins any more. Resolves when those under way have ended, and how is in the book. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelWake();
    await Promise.all(this.calling);
  }

  private run(): void {
    this.cancelWake();
    if (this.stopped) return;
    const now = this.calls.clock.now();
    for (const [id, due] of this.due) {
      if (due > now || this.calling.size >= CALLS_MAX) continue;
      this.due.delete(id);
      const attempt = this.attempt(id).finally(() => {
        this.calling.delete(attempt);
        this.run();
      });
      this.calling.add(attempt);
    }
    const next = Math.min(...this.due.values());
    if (next < Number.POSITIVE_INFINITY && this.calling.size < CALLS_MAX) {
      this.cancelWake = this.calls.clock.after(Math.max(1, next - now), () => this.run());
    }
  }

  private async attempt(id: string): Promise<void> {
    try {
      // Who is called asks for the batch at once, and must find it finished.
      await this.book.flush();
    } catch {
      // Whoever writes has told why.
      this.due.set(id, this.calls.clock.now() + UNWRITTEN_WAIT_MS);
      return;
    }
    try {
      const batch = this.book.get(id);
      if (batch === undefined || batch.webhook === null || batch.deleted) return;
      const address = SealedBatch.open(this.store, this.sealer, batch)?.webhook();
      if (address === undefined) return;
      const status = STATUS_OF[batch.state] as FinishedBatch['status'];
      const outcome = await this.calls.call(address, { id, status });
      this.keep(id, outcome === 'delivered');
    } catch (error) {
      this.calls.onTrouble(error, id);
    }
  }

  private keep(id: string, delivered: boolean): void {
    // It may have been collected meanwhile.
    const batch = this.book.get(id);
    if (batch === undefined || batch.webhook === null || batch.deleted) return;
    const attempts = batch.webhook.attempts + 1;
    const wait = delivered ? null : webhookWaitMs(attempts, this.calls.random);
    const due = wait === null ? null : this.calls.clock.now() + wait;
    const after: Batch = { ...batch, webhook: { attempts, due } };
    this.book.put(after);
    this.add(after);
  }
}
