import type { Clock } from './clock.js';

/** A deviation up to this many milliseconds is followed at once: NTP corrections are smaller. */
export const FOLLOWED_MS = 1_000;
/** A jump must persist for this many milliseconds before it is accepted: ntpd waits as long before it steps a clock. */
export const JUMP_LASTS_MS = 5 * 60 * 1_000;
/** The longest downtime, in milliseconds, after which the system clock is trusted without a waiting period. */
export const STOPPED_MS_MAX = 60 * 60 * 1_000;

/** A difference between the system clock and the monotonic clock that is not accepted yet. */
interface Jump {
  /** System clock minus monotonic clock. */
  readonly offset: number;
  /** When it was first observed, on the monotonic clock. */
  readonly since: number;
}

/**
 * A calendar that is immune to glitches of the system clock: wall time continued by the monotonic clock.
 *
 * Rules, applied whenever it is read:
 *
 * 1. While the system clock is within FOLLOWED_MS of the calendar, the calendar is the system clock.
 * 2. A system clock further away has jumped. The calendar continues as before. If the system clock returns, nothing has
 *    happened; if it jumps again, rule 2 starts over.
 * 3. A jump that persists for JUMP_LASTS_MS is accepted: the calendar jumps too and `onJump` is called. This covers real
 *    corrections and machines that were suspended.
 * 4. The calendar starts with the system clock. If that is behind the last stored certain time, it is a jump since that
 *    time, which the calendar continues until rule 3: what began on a day that is over would be too old once the clock is
 *    correct again. If it is more than STOPPED_MS_MAX ahead, the start is doubtful.
 * 5. `certainFor` is how long the calendar has been certain: 0 while a jump is not accepted, the time since the last
 *    accepted jump or doubtful start, else Infinity. Irreversible work waits until it is at least JUMP_LASTS_MS.
 */
export class SteadyClock implements Clock {
  private offset: number;
  private jump: Jump | null = null;
  /** The last accepted jump or doubtful start, on the monotonic clock. */
  private doubtedAt: number | null = null;
  /** The last certain calendar before that. */
  private before = 0;

  /**
   * @param lastCertain the last certain time stored by an earlier process, in milliseconds since 1970; null: none
   * @param onJump receives an accepted jump in milliseconds; `now` is the new time already
   */
  constructor(
    private readonly system: Clock,
    lastCertain: number | null,
    private readonly onJump: (ms: number) => void = () => {},
  ) {
    const now = system.now();
    this.offset = now - system.monotonic();
    if (lastCertain === null) return;
    if (now < lastCertain - FOLLOWED_MS) this.offset = lastCertain - system.monotonic();
    if (now <= lastCertain + STOPPED_MS_MAX) return;
    this.doubtedAt = system.monotonic();
    this.before = lastCertain;
  }

  now(): number {
    const monotonic = this.system.monotonic();
    this.look(this.system.now() - monotonic, monotonic);
    return Math.round(monotonic + this.offset);
  }

  monotonic(): number {
    return this.system.monotonic();
  }

  certainFor(): number {
    this.now();
    if (this.jump !== null) return 0;
    if (this.doubtedAt === null) return Number.POSITIVE_INFINITY;
    return this.system.monotonic() - this.doubtedAt;
  }

  settled(): number {
    const now = this.now();
    if (!this.isSettledAt(this.jump?.since ?? this.system.monotonic())) return this.before;
    return this.jump === null ? now : Math.round(this.jump.since + this.offset);
  }

  after(ms: number, callback: () => void): () => void {
    return this.system.after(ms, callback);
  }

  /** Whether the calendar had been certain for JUMP_LASTS_MS at a moment of the monotonic clock, up to which it was certain. */
  private isSettledAt(monotonic: number): boolean {
    return this.doubtedAt === null || monotonic - this.doubtedAt >= JUMP_LASTS_MS;
  }

  private look(offset: number, monotonic: number): void {
    if (near(offset, this.offset)) {
      this.offset = offset;
      this.jump = null;
      return;
    }
    const since = this.jump !== null && near(offset, this.jump.offset) ? this.jump.since : monotonic;
    if (monotonic - since < JUMP_LASTS_MS) {
      this.jump = { offset, since };
      return;
    }
    const ms = offset - this.offset;
    if (this.isSettledAt(since)) this.before = Math.round(monotonic + this.offset);
    this.offset = offset;
    this.jump = null;
    this.doubtedAt = monotonic;
    this.onJump(ms);
  }
}

const near = (one: number, other: number) => Math.abs(one - other) <= FOLLOWED_MS;
