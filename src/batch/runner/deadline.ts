import { type Clock, DAY_MS, FOLLOWED_MS, JUMP_LASTS_MS } from '../../base/index.js';
import type { Batch } from '../lifecycle/batch-transitions.js';

/** The window of a batch, from submission (contract 8). */
export const WINDOW_MS = DAY_MS;

/**
 * The end of a batch's window on the monotonic clock, so that a jump of the calendar neither shortens nor extends it.
 * The window of a batch submitted to this process begins now; that of an earlier process's batch ends at its `expires`,
 * which is read once the calendar is certain.
 */
export class Deadline {
  private end: number | null = null;

  /** Starts the window of a new batch. */
  begin(clock: Clock): void {
    this.end = clock.monotonic() + WINDOW_MS;
  }

  hasPassed({ expires }: Batch, clock: Clock): boolean {
    if (this.end === null) {
      if (clock.certainFor() < JUMP_LASTS_MS) return false;
      this.end = clock.monotonic() + Math.min(Math.max(expires - clock.now(), 0), WINDOW_MS);
    }
    return clock.monotonic() >= this.end;
  }

  /** The batch's `expires` by the present calendar, which may have jumped since `expires` was written. */
  expires({ expires }: Batch, clock: Clock): number {
    if (this.end === null || clock.certainFor() < JUMP_LASTS_MS) return expires;
    const shown = Math.round(clock.now() + this.end - clock.monotonic());
    return Math.abs(shown - expires) > FOLLOWED_MS ? shown : expires;
  }
}
