import type { Amount } from '../../../access/index.js';

/** The period over which use is summed, in milliseconds. */
const PERIOD_MS = 1_000;
/** A node requests unused credit for this many periods. */
const PERIODS_WANTED = 2n;
/** Unused credit is returned after this many milliseconds without a reservation. */
export const IDLE_MS = 5_000;

/** How fast a node uses the credit of a workspace. Times are monotonic milliseconds. */
export class RecentUse {
  private started = Number.NEGATIVE_INFINITY;
  private lastUse = Number.NEGATIVE_INFINITY;
  private current: Amount = 0n;
  private previous: Amount = 0n;

  add(amount: Amount, now: number): void {
    this.turn(now);
    this.current += amount;
    this.lastUse = now;
  }

  /** The unused credit that covers about the next PERIODS_WANTED periods. */
  wanted(now: number): Amount {
    this.turn(now);
    return PERIODS_WANTED * largest(this.current, this.previous);
  }

  isIdle(now: number): boolean {
    return now - this.lastUse >= IDLE_MS;
  }

  private turn(now: number): void {
    const passed = now - this.started;
    if (passed < PERIOD_MS) return;
    this.previous = passed < 2 * PERIOD_MS ? this.current : 0n;
    this.current = 0n;
    this.started = now;
  }
}

const largest = (one: Amount, other: Amount): Amount => (one > other ? one : other);
