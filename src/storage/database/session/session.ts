import { type Clock, OperatorError } from '../../../base/index.js';
import { type CalendarEvent, DatabaseCalendar } from '../calendar/calendar.js';
import { HostSkew } from '../calendar/host-skew.js';
import type { Database } from '../postgres/database.js';
import { DatabaseUnavailable } from '../postgres/database-errors.js';
import { defectOf } from './defect.js';
import { type Beat, beat, type NodeName, register } from './node-rows.js';
import { endSession, reapExpired } from './reaper.js';
import { DatabaseClock } from './session-clock.js';
import { nextState, type SessionState } from './states.js';

/** The interval of heartbeats, in milliseconds. */
export const HEARTBEAT_MS = 1_000;
/**
 * A node serves for this many milliseconds after the beginning of its last successful heartbeat. Shorter than EXPIRY_MS, so
 * that a node without connection stops before its leases are returned.
 */
export const SERVING_MS = 5_000;
/**
 * After a gap of more than SERVING_MS in its heartbeats, a node ends no other sessions for this many milliseconds: if the
 * database was unavailable, other nodes need time to reconnect. The same holds if a node finds expired sessions when it
 * starts.
 */
export const GRACE_MS = 5_000;
/**
 * The longest pause, in milliseconds, between the failure of a session and the next registration. There is none after a
 * session that has lived for longer; each that fails earlier doubles the pause, from HEARTBEAT_MS. Otherwise a node whose
 * charges the database refuses again and again would answer, with each session, requests that it cannot charge.
 */
export const REJOIN_MS_MAX = 8_000;
/** The longest time, in milliseconds, of a statement that returns the leases of a failed session. Then it expires. */
const FAILED_MS_MAX = 2_000;
/** Heartbeats in progress at a time, so that one that hangs does not delay the next. */
const BEATS_MAX = 3;

interface Parts {
  /** Should have connections of its own, so that heartbeats do not wait for other statements. */
  readonly database: Database;
  /** For what can take long; absent: `database`. */
  readonly work?: Database;
  readonly clock: Clock;
  readonly node: NodeName;
  /** Called when this node learns of an event; see CalendarEvent. */
  readonly onCalendar?: (event: CalendarEvent, ms: number) => void;
  /**
   * Called with the error of a heartbeat or registration that failed, which is tried again; and with a SessionDefect when a
   * session failed.
   */
  onError(error: unknown): void;
}

/** A moment by the clocks of this host. */
interface Moment {
  readonly monotonic: number;
  readonly calendar: number;
}

/**
 * The membership of this node in the cluster: a row in `nodes` that it extends with heartbeats. All its leases name the row
 * and are valid exactly while it exists. When the session is lost, or has failed, the listeners are called, and the node
 * registers again, with another id.
 */
export class Session {
  /** The clock of the cluster. */
  readonly clock: DatabaseClock;
  readonly calendar: DatabaseCalendar;
  readonly skew: HostSkew;
  private state: SessionState = 'joining';
  private current: number | null = null;
  private nodeCount = 1;
  /** When the last successful heartbeat began. */
  private confirmed: Moment = { monotonic: Number.NEGATIVE_INFINITY, calendar: Number.NEGATIVE_INFINITY };
  /** The first successful heartbeat after the last gap, in monotonic milliseconds. */
  private returnedAt = Number.NEGATIVE_INFINITY;
  private beats = 0;
  private joining: Promise<void> | null = null;
  /** When the current session was registered, in monotonic milliseconds. */
  private joinedAt = Number.NEGATIVE_INFINITY;
  /** No session is registered earlier, in monotonic milliseconds. */
  private rejoinAt = Number.NEGATIVE_INFINITY;
  private rejoinPause = 0;
  /** A failed session whose row is to be deleted before the node registers again. */
  private failed: number | null = null;
  private failureCount = 0;
  private refused: string | null = null;
  private reaping = false;
  private cancelBeat = () => {};
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly parts: Parts) {
    const { database, work: moving = database, clock, onError, onCalendar: onEvent = () => {} } = parts;
    this.clock = new DatabaseClock(clock);
    this.calendar = new DatabaseCalendar({ database, moving, clock: this.clock, onEvent, onError });
    this.skew = new HostSkew(clock, this.clock, (ms) => onEvent('skewed', ms));
  }

  /** The id of the session; null while the node has none. */
  get id(): number | null {
    return this.current;
  }

  /** Sessions in the database, this one included: about the number of nodes. */
  get nodes(): number {
    return this.nodeCount;
  }

  /** Whether the node may answer: its session has certainly not been ended by another node. */
  get isServing(): boolean {
    const { monotonic, calendar } = this.moment();
    // The monotonic clock stands still while a machine is suspended; the calendar does not.
    const silent = Math.max(monotonic - this.confirmed.monotonic, calendar - this.confirmed.calendar);
    return this.state === 'joined' && silent <= SERVING_MS;
  }

  /**
   * Why the database accepts no session of this node until its operator acts, as sentences: it has another format. Null: it
   * does, or it cannot be reached.
   */
  get refusal(): string | null {
    return this.refused;
  }

  /** How many sessions of this process have failed; see `fail`. */
  get failures(): number {
    return this.failureCount;
  }

  /**
   * Calls the listener whenever the session was lost; `id` is null then. The listener must drop all that the session held.
   */
  onLost(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Registers the node and begins its heartbeats. Throws OperatorError, DatabaseUnavailable. */
  async start(): Promise<void> {
    await this.join();
    this.beatLater();
  }

  /** Call it when a transaction has found that a session has ended (see `fence`). */
  lost(session: number): void {
    if (session !== this.current) return;
    this.drop('lost');
    this.tryJoin();
  }

  /**
   * Ends a session, because what the node holds of it cannot be right or cannot be written; see SessionDefect. Returns its
   * leases, and registers another one, after a pause if the last ones failed soon; see REJOIN_MS_MAX.
   */
  fail(session: number, error: unknown): void {
    if (session !== this.current) return;
    this.failureCount += 1;
    this.failed = session;
    const now = this.parts.clock.monotonic();
    const isSoon = now - this.joinedAt < REJOIN_MS_MAX;
    this.rejoinPause = isSoon ? Math.min(Math.max(HEARTBEAT_MS, 2 * this.rejoinPause), REJOIN_MS_MAX) : 0;
    this.rejoinAt = now + this.rejoinPause;
    this.drop('failed');
    this.parts.onError(defectOf(error));
    this.tryJoin();
  }

  /** Leaves the cluster: deletes the session and returns its leases. Throws DatabaseUnavailable; then it expires. */
  async stop(): Promise<void> {
    this.cancelBeat();
    const session = this.current;
    this.state = nextState(this.state, 'left');
    this.current = null;
    await this.joining?.catch(() => {});
    await this.returnFailed();
    if (session !== null) await endSession(this.parts.database, session);
  }

  private beatLater(): void {
    this.cancelBeat = this.parts.clock.after(HEARTBEAT_MS, () => {
      if (this.current === null) this.tryJoin();
      else if (this.beats < BEATS_MAX) void this.beat(this.current);
      if (this.state !== 'ended') this.beatLater();
    });
  }

  private async beat(session: number): Promise<void> {
    this.beats += 1;
    const began = this.moment();
    try {
      const answer = await beat(this.parts.database, session, this.clocks());
      if (answer === null) this.lost(session);
      else if (session === this.current) this.confirm(answer, began);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) this.parts.onError(error);
      else this.fail(session, error);
    } finally {
      this.beats -= 1;
    }
  }

  private drop(event: 'lost' | 'failed'): void {
    this.state = nextState(this.state, event);
    this.current = null;
    for (const listener of this.listeners) listener();
  }

  private tryJoin(): void {
    if (this.state !== 'joining' || this.joining !== null) return;
    if (this.parts.clock.monotonic() < this.rejoinAt) return;
    this.join().catch((error) => {
      this.refused = error instanceof OperatorError ? error.message : null;
      this.parts.onError(error);
    });
  }

  private join(): Promise<void> {
    this.joining = this.register().finally(() => {
      this.joining = null;
    });
    return this.joining;
  }

  private async register(): Promise<void> {
    await this.returnFailed();
    await this.calendar.open();
    const began = this.moment();
    const answer = await register(this.parts.database, this.parts.node, this.clocks());
    this.state = nextState(this.state, 'registered');
    if (this.state !== 'joined') {
      await endSession(this.parts.database, answer.id);
      return;
    }
    this.current = answer.id;
    this.refused = null;
    this.joinedAt = this.parts.clock.monotonic();
    this.confirm(answer, began);
  }

  /** Returns the leases of a failed session. If that fails, it expires. */
  private async returnFailed(): Promise<void> {
    const { failed } = this;
    this.failed = null;
    if (failed === null) return;
    await endSession(this.parts.database, failed, FAILED_MS_MAX).catch((error) => this.parts.onError(error));
  }

  private confirm({ id, row, clock, nodes, hasExpired }: Beat, began: Moment): void {
    const ended = this.parts.clock.monotonic();
    void this.calendar.see({ row, clock }, began.monotonic, ended, id);
    if (this.clock.agrees) this.skew.look();
    const gap = began.monotonic - this.confirmed.monotonic;
    const isFirst = gap === Number.POSITIVE_INFINITY;
    if (isFirst ? hasExpired : gap > SERVING_MS) this.returnedAt = ended;
    if (began.monotonic > this.confirmed.monotonic) this.confirmed = began;
    this.nodeCount = nodes;
    if (hasExpired && ended - this.returnedAt >= GRACE_MS) void this.reap();
  }

  private async reap(): Promise<void> {
    if (this.reaping) return;
    this.reaping = true;
    try {
      await reapExpired(this.parts.database);
    } catch (error) {
      this.parts.onError(error);
    } finally {
      this.reaping = false;
    }
  }

  private clocks() {
    const { clock, calendar } = this;
    return { calendar: clock.now(), version: calendar.version, host: Math.round(this.parts.clock.now()) };
  }

  private moment(): Moment {
    const { clock } = this.parts;
    return { monotonic: clock.monotonic(), calendar: clock.now() };
  }
}
