import { type Clock, FOLLOWED_MS, JUMP_LASTS_MS } from '../../base/index.js';
import type { Batch } from '../lifecycle/transitions.js';

/** Contract 8: from submission. */
export const WINDOW_MS = 24 * 60 * 60 * 1_000;

/**
 * When a batch's window ends, on the monotonic clock: a calendar that jumps neither takes time from its lines nor gives
 * them more. For a batch of this process it begins with the submission; for one of an earlier process with what
 * `expires` leaves of it, once the calendar is beyond doubt.
 */
export class Deadline {
  private end: number | null = null;

  /** A new batch: its whole window is to come. */
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

  /** The batch's `expires` by a calendar that may have jumped since it was written. */
  expires({ expires }: Batch, clock: Clock): number {
    if (this.end === null || clock.certainFor() < JUMP_LASTS_MS) return expires;
    const shown = Math.round(clock.now() + this.end - clock.monotonic());
    return Math.abs(shown - expires) > FOLLOWED_MS ? shown : expires;
  }
}
