import type { Clock } from './clock.js';

/** A system clock that is this close, in milliseconds, is followed at once: NTP moves it by less all the time. */
export const FOLLOWED_MS = 1_000;
/** So long, in milliseconds, a jump must last before it is believed: ntpd waits as long before it steps a clock. */
export const JUMP_LASTS_MS = 5 * 60 * 1_000;
/** The longest downtime, in milliseconds, after which the system clock is trusted without a waiting period. */
export const STOPPED_MS_MAX = 60 * 60 * 1_000;

/** A difference between the system's clock and the monotonic one that is not believed yet. */
interface Jump {
  /** The system's clock less the monotonic one. */
  readonly offset: number;
  /** When it was first seen, on the monotonic clock. */
  readonly since: number;
}

/**
 * A calendar that no glitch of the system's clock moves: wall time carried on by the monotonic clock.
 *
 * Rules, looked at whenever it is read:
 *
 * 1. While the system's clock is within FOLLOWED_MS of the calendar, the calendar is the system's clock.
 * 2. A system clock that is further away has jumped. The calendar goes on as before. If the system's clock comes back,
 *    nothing has happened; if it jumps again, rule 2 starts anew.
 * 3. A jump that has lasted for JUMP_LASTS_MS is believed: the calendar jumps too, and `onJump` is told by how much. So a
 *    real correction, and the time that a suspended machine has slept, are caught up with.
 * 4. The calendar starts with the system's clock. If that is behind the last certain time that was kept, or more than
 *    STOPPED_MS_MAX ahead of it, it is doubtful.
 * 5. `certainFor` says how long the calendar has been beyond doubt: 0 while a jump is not believed yet, the time since
 *    the last believed jump or doubtful start, else Infinity. Whatever cannot be undone waits until it is JUMP_LASTS_MS
 *    at least.
 */
export class SteadyClock implements Clock {
  private offset: number;
  private jump: Jump | null = null;
  /** The last believed jump or doubtful start, on the monotonic clock. */
  private doubtedAt: number | null = null;

  /**
   * @param lastCertain the time that the last process has kept, in milliseconds since 1970; null: none has
   * @param onJump told of a believed jump, in milliseconds, when `now` is the new time already
   */
  constructor(
    private readonly system: Clock,
    lastCertain: number | null,
    private readonly onJump: (ms: number) => void = () => {},
  ) {
    const now = system.now();
    this.offset = now - system.monotonic();
    if (lastCertain === null) return;
    const doubtful = now < lastCertain - FOLLOWED_MS || now > lastCertain + STOPPED_MS_MAX;
    if (doubtful) this.doubtedAt = system.monotonic();
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

  after(ms: number, callback: () => void): () => void {
    return this.system.after(ms, callback);
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
    this.offset = offset;
    this.jump = null;
    this.doubtedAt = monotonic;
    this.onJump(ms);
  }
}

const near = (one: number, other: number) => Math.abs(one - other) <= FOLLOWED_MS;
