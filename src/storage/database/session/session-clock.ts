import { type Clock, JUMP_LASTS_MS } from '../../../base/index.js';
import type { CalendarRow } from '../calendar/calendar-row.js';

type Doubts = Pick<CalendarRow, 'since' | 'doubted' | 'before'>;

/**
 * The calendar of the cluster, continued by the monotonic clock of this host between two heartbeats. All nodes show the same
 * time, within the duration of a heartbeat. `DatabaseCalendar` decides whether the clock of the database is right.
 */
export class DatabaseClock implements Clock {
  /** The calendar minus the monotonic clock; null: not known yet. */
  private offset: number | null = null;
  private doubts: Doubts = { since: null, doubted: null, before: null };
  /** Whether this node has found a jump that it has not read from the database yet. */
  private isHeld = false;

  constructor(private readonly system: Clock) {}

  get isKnown(): boolean {
    return this.offset !== null;
  }

  /** Whether the last heartbeat agreed with this node. */
  get agrees(): boolean {
    return !this.isHeld;
  }

  /**
   * The calendar had the time `time` at some moment between `began` and `ended`, in monotonic milliseconds. The offset
   * changes only if it contradicts this, so the time does not jump back and forth with the duration of heartbeats.
   */
  observe(time: number, began: number, ended: number): void {
    const [lowest, highest] = [time - ended, time - began];
    const offset = this.offset ?? (lowest + highest) / 2;
    this.offset = Math.min(Math.max(offset, lowest), highest);
    this.isHeld = false;
  }

  /** Like `observe`, whatever the time was before. */
  reset(time: number, began: number, ended: number): void {
    this.offset = null;
    this.observe(time, began, ended);
  }

  /** How far `time`, read between two moments, is ahead of the time of this node; 0: they agree. */
  differenceOf(time: number, began: number, ended: number): number {
    if (this.offset === null) return 0;
    const [lowest, highest] = [began + this.offset, ended + this.offset];
    return Math.round(time - Math.min(Math.max(time, lowest), highest));
  }

  /** The calendar is uncertain: this node has found a jump. */
  hold(): void {
    this.isHeld = true;
  }

  /** What the database says of its calendar. */
  follow({ since, doubted, before }: Doubts): void {
    this.doubts = { since, doubted, before };
  }

  /** Until the first observation, the clock of this host. */
  now(): number {
    return this.offset === null ? this.system.now() : Math.round(this.system.monotonic() + this.offset);
  }

  monotonic(): number {
    return this.system.monotonic();
  }

  certainFor(): number {
    const { since, doubted } = this.doubts;
    if (this.isHeld || since !== null) return 0;
    return doubted === null ? Number.POSITIVE_INFINITY : Math.max(0, this.now() - doubted);
  }

  /** As SETTLED_MS in SQL. */
  settled(): number {
    const { since, doubted, before } = this.doubts;
    const now = this.now();
    if (doubted !== null && (since ?? now) - doubted < JUMP_LASTS_MS) return before ?? now;
    return since ?? now;
  }

  after(ms: number, callback: () => void): () => void {
    return this.system.after(ms, callback);
  }
}
