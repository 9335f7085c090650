import type { Directory, Key, Workspace } from '../../../access/index.js';
import { ApiError } from '../../../api/index.js';
import type { Clock } from '../../../base/index.js';
import type { Database } from '../postgres/database.js';
import { listen } from '../postgres/listen.js';
import { WrongFormat } from '../postgres/schema/format.js';
import { Copy, type LostChanges } from './directory-copy.js';
import { BEGINNING, type Moment, positionAfter } from './history.js';
import { missingAfter } from './read-changes.js';

/** The interval of the polls for changes, in milliseconds. Notifications only make a poll happen earlier. */
export const POLL_MS = 250;
/** A copy is used for this many milliseconds after the beginning of the query that confirmed it. */
export const TRUSTED_MS = 5_000;
/** The channel of notifications about changes. The payload is the number of the change. */
export const CHANGES_CHANNEL = 'decider_changes';

interface Parts {
  /** Should have connections of its own, so that polls do not wait for other statements. */
  readonly database: Database;
  readonly clock: Clock;
  /** Called with the error of a poll that failed, once until one succeeds. */
  onError(error: unknown): void;
  /** Called when the database lacks changes that the copy has, after a failover or a restore. The copy was read anew. */
  onLost(lost: LostChanges): void;
}

/** A time by the clocks of this host. */
interface Time {
  readonly monotonic: number;
  readonly calendar: number;
}

const AWAY = 'The server cannot reach its database at the moment; try again later.';

const NEVER: Time = { monotonic: Number.NEGATIVE_INFINITY, calendar: Number.NEGATIVE_INFINITY };

/**
 * All keys and workspaces of the database, copied into memory, so that look-ups do not wait. The copy has an administrative
 * change at the latest POLL_MS and two queries after its commit. A copy that was not confirmed for TRUSTED_MS is not used:
 * a key may have been revoked meanwhile. A copy with changes that the database lacks is replaced by a new one.
 */
export class DatabaseDirectory implements Directory {
  private copy = new Copy();
  /** The last change that the copy has. */
  private moment = BEGINNING;
  /** When the query began that confirmed the copy. */
  private confirmed = NEVER;
  private polling: Promise<void> | null = null;
  private queued: Promise<void> | null = null;
  /** The error of the last poll; null: it has succeeded. */
  private failure: unknown = null;
  private isStopped = false;
  private cancelPoll = () => {};
  private stopListening = async () => {};
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly parts: Parts) {}

  /** Makes the copy and keeps it up to date. Rejects with DatabaseUnavailable. */
  async start(): Promise<void> {
    await this.update();
    const { database, clock } = this.parts;
    this.stopListening = listen(database, [CHANGES_CHANNEL], (_, text) => this.notified(text), clock);
    this.pollLater();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancelPoll();
    await this.stopListening();
    await this.polling?.catch(() => {});
  }

  /** Calls the listener after the copy has changed. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  refresh(): void {
    if (!this.isOlder(this.confirmed)) return;
    throw new ApiError('overloaded', this.failure instanceof WrongFormat ? this.failure.message : AWAY, {
      retryAfterSeconds: 1,
    });
  }

  keyOfDigest(digest: string): Key | undefined {
    return this.copy.keyOfDigest(digest);
  }

  key(id: string): Key | undefined {
    return this.copy.key(id);
  }

  workspace(id: string): Workspace | undefined {
    return this.copy.workspace(id);
  }

  /** Resolves when the copy has every change that was committed before the call. Rejects with DatabaseUnavailable. */
  update(): Promise<void> {
    if (this.polling === null) return this.poll();
    // The poll in progress may have begun before the last change.
    this.queued ??= this.polling
      .catch(() => {})
      .then(() => {
        this.queued = null;
        return this.poll();
      });
    return this.queued;
  }

  /** Whether a time is more than TRUSTED_MS ago. */
  private isOlder(time: Time): boolean {
    const { monotonic, calendar } = this.time();
    // The monotonic clock stands still while a machine is suspended; the calendar does not.
    return Math.max(monotonic - time.monotonic, calendar - time.calendar) > TRUSTED_MS;
  }

  private notified(text: string): void {
    if (text !== '' && Number(text) <= this.moment.number) return;
    // `poll` reports the error.
    this.update().catch(() => {});
  }

  private pollLater(): void {
    this.cancelPoll = this.parts.clock.after(POLL_MS, () => {
      if (this.polling === null) this.poll().catch(() => {});
      if (!this.isStopped) this.pollLater();
    });
  }

  private poll(): Promise<void> {
    this.polling = this.readChanges()
      .then(
        () => {
          this.failure = null;
        },
        (error) => {
          if (this.failure === null) this.parts.onError(error);
          this.failure = error;
          throw error;
        },
      )
      .finally(() => {
        this.polling = null;
      });
    return this.polling;
  }

  private async readChanges(): Promise<void> {
    const { database } = this.parts;
    const began = this.time();
    const { last, follows } = await positionAfter(database, this.moment);
    const isNew = !follows || last.number > this.moment.number;
    if (isNew) await this.load(this.moment);
    this.confirmed = began;
    if (isNew) for (const listener of this.listeners) listener();
  }

  /** Adds what the copy of a moment lacks, or replaces it. */
  private async load(moment: Moment): Promise<void> {
    const { last, follows, keys, workspaces } = await missingAfter(this.parts.database, moment);
    const before = this.copy;
    const copy = follows ? before : new Copy();
    copy.put(keys, workspaces);
    this.copy = copy;
    this.moment = last;
    if (!follows && moment.mark !== null) this.parts.onLost(before.lostIn(copy));
  }

  private time(): Time {
    const { clock } = this.parts;
    return { monotonic: clock.monotonic(), calendar: clock.now() };
  }
}
