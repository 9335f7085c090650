import { FOLLOWED_MS, JUMP_LASTS_MS } from '../../../base/index.js';
import type { Database } from '../postgres/database.js';
import type { DatabaseClock } from '../session/session-clock.js';
import { acceptJump } from './accept.js';
import {
  type CalendarReading,
  type CalendarRow,
  readCalendar,
  timeOf,
  writeCorrection,
} from './calendar-row.js';
import { isInDoubt, startCalendar } from './start-calendar.js';

/** Heartbeats, one after the other, that must find a jump. Meanwhile other nodes confirm the database's clock, or do not. */
const DIFFERENT_MIN = 3;
/** The pause after an attempt to accept a jump, in milliseconds: an attempt can delay other transactions. */
const ACCEPT_PAUSE_MS = 30_000;

/**
 * What the nodes find out about the database's clock. `held`: it has jumped, and the calendar does not follow yet; `undone`:
 * it has returned; `accepted`: the calendar follows the jump; `doubtful`: at the start it differed from the last time;
 * `skewed`: the clock of this host differs from the calendar.
 */
export type CalendarEvent = 'held' | 'undone' | 'accepted' | 'doubtful' | 'skewed';

interface Parts {
  /** The connections of the heartbeats. */
  readonly database: Database;
  /** For accepting a jump, which can take long. */
  readonly moving: Database;
  readonly clock: DatabaseClock;
  /** Called when this node learns of an event. `ms`: how far the clock has jumped, or is ahead. */
  onEvent(event: CalendarEvent, ms: number): void;
  /** Called with the error of an attempt that failed. It is tried again. */
  onError(error: unknown): void;
}

/**
 * The calendar of the cluster, as one node takes part in it: the database's clock, minus a jump that has not lasted. It has
 * the rules of `SteadyClock`, and one row in the database, so that all nodes and all SQL have the same time.
 *
 * 1. With every heartbeat, a node compares the database's clock with its own monotonic one. If they agree, it confirms the
 *    time: the calendar in SQL is never more than a few seconds ahead of the last confirmation.
 * 2. If they disagree in DIFFERENT_MIN heartbeats one after the other, the database's clock has jumped. The node writes a
 *    correction, so that the calendar continues as before.
 * 3. If another node agrees with the database meanwhile, it is the clock of this host that has jumped, as when the host was
 *    suspended: the node follows.
 * 4. A jump that lasts for JUMP_LASTS_MS is accepted by one node, which moves the stored times with it.
 */
export class DatabaseCalendar {
  private known: CalendarRow | null = null;
  /** When the answer that has set `known` came, on the monotonic clock. */
  private knownAt = Number.NEGATIVE_INFINITY;
  /** Heartbeats that disagree, and what was confirmed at the first of them. */
  private different = 0;
  private confirmedBefore = 0;
  private accepting: Promise<void> | null = null;
  private acceptedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: Parts) {}

  /** How far a jump that is held back has moved the database's clock, in milliseconds; 0: there is none. */
  get jumpMs(): number {
    return jumpOf(this.known);
  }

  /** The version that this node knows; 0: none. */
  get version(): number {
    return this.known?.version ?? 0;
  }

  /** Brings the calendar up to date before the node registers. Throws DatabaseUnavailable. */
  async open(): Promise<void> {
    const { clock, database } = this.parts;
    if (clock.isKnown) {
      await readCalendar(database);
      return;
    }
    const reading = await startCalendar(database, clock);
    const ended = clock.monotonic();
    this.note(reading.row, ended, ended);
    clock.reset(timeOf(reading), ended, ended);
  }

  /**
   * What a heartbeat or a registration has read, between two moments of the monotonic clock. Never throws.
   *
   * @param session the node's
   */
  async see(
    { row, clock: database }: { readonly row: CalendarRow | null; readonly clock: number },
    began: number,
    ended: number,
    session: number,
  ): Promise<void> {
    if (row === null) await this.attempt(() => readCalendar(this.parts.database));
    else await this.compare({ row, clock: database }, began, ended, session);
  }

  /** Resolves when no attempt to accept a jump is in progress. */
  async settled(): Promise<void> {
    await this.accepting;
  }

  private async compare(
    reading: CalendarReading,
    began: number,
    ended: number,
    session: number,
  ): Promise<void> {
    const { clock } = this.parts;
    const { row } = reading;
    const time = timeOf(reading);
    const isRestarted = this.known !== null && row.doubted !== this.known.doubted;
    this.note(row, began, ended);
    const ahead = clock.differenceOf(time, began, ended);
    if (Math.abs(ahead) <= FOLLOWED_MS) {
      this.different = 0;
      clock.observe(time, began, ended);
      if (row.since !== null && clock.now() - row.since >= JUMP_LASTS_MS) this.accept(row, session);
      return;
    }
    if (this.different === 0) this.confirmedBefore = row.confirmed_clock;
    const isWrong = row.confirmed_clock !== this.confirmedBefore && isAgreed(row, session);
    this.different = isRestarted || isWrong ? 0 : this.different + 1;
    if (this.different === 0) clock.reset(time, began, ended);
    else clock.hold();
    if (this.different >= DIFFERENT_MIN) await this.correct(row, ahead, session);
  }

  private async correct(row: CalendarRow, ahead: number, session: number): Promise<void> {
    const { clock, database } = this.parts;
    const correction = row.correction - ahead;
    const isUndone = Math.abs(correction) <= FOLLOWED_MS;
    const now = clock.now();
    const next = isUndone ? { correction: 0, since: null } : { correction, since: now };
    await this.attempt(() => writeCorrection(database, row.version, { ...next, now, session }));
  }

  private accept(row: CalendarRow, session: number): void {
    const { clock, moving } = this.parts;
    if (this.accepting !== null || clock.monotonic() - this.acceptedAt < ACCEPT_PAUSE_MS) return;
    this.accepting = this.attempt(() => acceptJump(moving, row, session)).then(() => {
      this.accepting = null;
      this.acceptedAt = clock.monotonic();
    });
  }

  private async attempt(work: () => Promise<unknown>): Promise<void> {
    await work().catch((error) => this.parts.onError(error));
  }

  /** Heartbeats overlap, so an answer can be older than the last one. After a failover, a newer one can have a lower version. */
  private note(row: CalendarRow, began: number, ended: number): void {
    const { known } = this;
    if (known !== null && row.version <= known.version && (began < this.knownAt || isSame(row, known)))
      return;
    this.known = row;
    this.knownAt = ended;
    this.parts.clock.follow(row);
    const event = eventOf(known, row);
    if (event !== null) this.parts.onEvent(event, msOf(event, known, row));
  }
}

const jumpOf = (row: CalendarRow | null) => (row === null || row.since === null ? 0 : -row.correction);

/** Whether another node agreed with the database's clock when it confirmed the time. */
const isAgreed = ({ confirmed, confirmed_by, confirmed_clock, correction }: CalendarRow, session: number) =>
  confirmed_by !== null &&
  confirmed_by !== session &&
  Math.abs(confirmed_clock + correction - confirmed) <= FOLLOWED_MS;

const isSame = (one: CalendarRow, other: CalendarRow) =>
  one.version === other.version &&
  one.correction === other.correction &&
  one.since === other.since &&
  one.doubted === other.doubted;

function eventOf(known: CalendarRow | null, row: CalendarRow): CalendarEvent | null {
  if (row.since !== null) return known?.since === row.since ? null : 'held';
  if (known === null) return isInDoubt(row) ? 'doubtful' : null;
  if (row.doubted !== known.doubted) return known.since === null ? 'doubtful' : 'accepted';
  return known.since === null ? null : 'undone';
}

function msOf(event: CalendarEvent, known: CalendarRow | null, row: CalendarRow): number {
  if (event === 'held') return jumpOf(row);
  return event === 'undone' ? -jumpOf(known) : (row.doubted ?? 0) - (row.before ?? 0);
}
