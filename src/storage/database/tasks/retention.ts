import { type Clock, DAY_MS } from '../../../base/index.js';
import { RETENTION_EVERY_MS, type TaskBounds } from '../../../tasks/index.js';
import type { Database } from '../postgres/database.js';
import { giveUpDuty, hasDuty } from '../session/duties.js';
import { isOfSession } from '../session/fence.js';
import type { NodeSession } from '../session/fenced.js';
import { expireAnswers, expireLabels, removeLeft } from './old-rows.js';

/** The duty of the node that does this for all. */
const DUTY = 'tasks';

interface Parts {
  readonly database: Database;
  readonly session: Pick<NodeSession, 'id' | 'lost'>;
  readonly clock: Clock;
  readonly bounds: Pick<TaskBounds, 'retentionDays'>;
  onError(error: unknown): void;
}

/** Deletes answers and labels that are too old, and those without a task, at intervals. One node does it for all. */
export class DatabaseRetention {
  private readonly leaving = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private cancelNext = () => {};
  /** The session of this node that has the duty, as far as known; null: it does not have it. */
  private holder: number | null = null;

  constructor(private readonly parts: Parts) {}

  /** Runs now and then at intervals. */
  start(): void {
    const { clock } = this.parts;
    this.running = this.run().then(() => {
      if (!this.leaving.signal.aborted) this.cancelNext = clock.after(RETENTION_EVERY_MS, () => this.start());
    });
  }

  /** Resolves when the statement in progress has ended. Gives the duty up, so that another node can take it at once. */
  async stop(): Promise<void> {
    this.leaving.abort();
    this.cancelNext();
    await this.running;
    const { holder } = this;
    if (holder !== null) await this.attempt(() => giveUpDuty(this.parts.database, DUTY, holder));
  }

  private async run(): Promise<void> {
    const { database, bounds } = this.parts;
    const { signal } = this.leaving;
    if (!(await this.attempt(() => this.isMine()))) return;
    const ms = bounds.retentionDays() * DAY_MS;
    await this.attempt(() => removeLeft(database, signal));
    await this.attempt(() => expireAnswers(database, ms, signal));
    await this.attempt(() => expireLabels(database, ms, signal));
  }

  private async isMine(): Promise<boolean> {
    const { database, session } = this.parts;
    const { id } = session;
    this.holder = id !== null && (await hasDuty(database, session, id, DUTY)) ? id : null;
    return this.holder !== null;
  }

  /** Undefined: it failed. One step that fails does not keep the others from running. */
  private async attempt<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isOfSession(error)) this.parts.onError(error);
      return undefined;
    }
  }
}
