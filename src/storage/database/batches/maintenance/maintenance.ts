import type { Clock } from '../../../../base/index.js';
import {
  type Batch,
  type BatchReports,
  Callbacks,
  DELETION_MS,
  type Webhooks,
} from '../../../../batch/index.js';
import type { Database, Transaction } from '../../postgres/database.js';
import { guarded } from '../../postgres/schema/format.js';
import { giveUpDuty, hasDuty } from '../../session/duties.js';
import { isOfSession } from '../../session/fence.js';
import type { NodeSession } from '../../session/fenced.js';
import type { DataKeys } from '../data-keys.js';
import { applyEvent } from '../tables/batch-events.js';
import { deletableBatches, deleteBatch, removeStale } from '../tables/deletion.js';
import { dueWebhooks, endedBatches, settledBatches } from '../tables/due.js';
import { finishIfSettled } from '../tables/work.js';
import { DatabaseCalledBatches } from './called-batches.js';

const DUTY = 'batches';
/** The interval, in milliseconds, at which a node tries to take the duty, and the holder does what is due. */
const DUTY_MS = 1_000;

interface Parts {
  readonly database: Database;
  readonly session: Pick<NodeSession, 'lost'>;
  readonly keys: DataKeys;
  readonly clock: Clock;
  readonly random: () => number;
  readonly webhooks: Webhooks;
  readonly reports: BatchReports;
}

/**
 * The work on batches that one node does for all nodes: it ends windows and the batches of ended keys, finishes batches
 * whose last node was lost, calls webhooks, and deletes batches. Each step is safe even if two nodes run it.
 */
export class BatchMaintenance {
  private readonly callbacks: Callbacks;
  private deletedAt = Number.NEGATIVE_INFINITY;
  private holds = false;
  private readonly leaving = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private deleting: Promise<void> = Promise.resolve();
  private cancelNext = () => {};

  /** `node`: the session that takes the duty. */
  constructor(
    private readonly node: number,
    private readonly parts: Parts,
  ) {
    const { database, session, keys, clock, random, webhooks, reports } = parts;
    const batches = new DatabaseCalledBatches({ node, database, session, keys });
    this.callbacks = new Callbacks({ batches, clock, random, webhooks, reports });
  }

  /** Runs now, and then at intervals. */
  start(): void {
    this.running = this.work().catch((error) => this.report(error));
    void this.running.then(() => {
      if (!this.stopped) this.cancelNext = this.parts.clock.after(DUTY_MS, () => this.start());
    });
  }

  /** Stops, because the session has ended. Resolves when no step and no webhook call is in progress. */
  async end(): Promise<void> {
    this.leaving.abort();
    this.cancelNext();
    await Promise.all([this.running, this.callbacks.stop()]);
    await this.deleting;
  }

  /** Stops, and gives the duty up, so that another node can take it at once. */
  async stop(): Promise<void> {
    await this.end();
    if (this.holds)
      await giveUpDuty(this.parts.database, DUTY, this.node).catch((error) => this.report(error));
  }

  private get stopped(): boolean {
    return this.leaving.signal.aborted;
  }

  private async work(): Promise<void> {
    const { database, session, clock } = this.parts;
    this.holds = await hasDuty(database, session, this.node, DUTY);
    if (!this.holds || this.stopped) return;
    for (const { id, event } of await endedBatches(database)) {
      await this.transaction(id, (transaction) => applyEvent(transaction, id, event));
    }
    for (const id of await settledBatches(database)) {
      await this.transaction(id, (transaction) => finishIfSettled(transaction, id));
    }
    for (const batch of await dueWebhooks(database)) this.call(batch);
    if (clock.monotonic() - this.deletedAt < DELETION_MS || this.stopped) return;
    this.deletedAt = clock.monotonic();
    // Not awaited: it may take minutes.
    const before = this.deleting;
    this.deleting = before.then(() => this.delete()).catch((error) => this.report(error));
  }

  /** A batch that cannot be changed is reported, and does not stop the others. */
  private async transaction(id: string, work: (transaction: Transaction) => Promise<unknown>): Promise<void> {
    await guarded(this.parts.database, work).catch((error) => this.report(error, id));
  }

  private call(batch: Batch): void {
    if (!this.stopped && !this.callbacks.has(batch)) this.callbacks.add(batch);
  }

  private async delete(): Promise<void> {
    const { database } = this.parts;
    await removeStale(database, this.leaving.signal);
    // A batch that cannot be deleted stays at the head of the list; the next run tries again.
    for (let deleted = 1; deleted > 0; ) {
      deleted = 0;
      for (const id of await deletableBatches(database)) {
        if (this.stopped) return;
        const isDone = await deleteBatch(database, id).then(
          () => true,
          (error) => this.report(error, id),
        );
        if (isDone === true) deleted += 1;
      }
    }
  }

  /** Skips the loss of the session and an unreachable database, which the session reports. */
  private report(error: unknown, batch = '-'): void {
    if (this.stopped || isOfSession(error)) return;
    this.parts.reports.error(error, batch);
  }
}
