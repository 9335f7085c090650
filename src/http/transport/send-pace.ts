import type { Clock } from '../../base/index.js';

/** Readers slower than this, … */
export const SEND_BYTES_PER_SECOND_MIN = 8 * 1024;
/** … and this far behind it, are disconnected. */
export const SEND_PATIENCE_MS = 30_000;

/** The outcome of a response that the kernel does not accept at once. */
export interface ReplyEnds {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** The kernel has accepted all of it. */
  done(): void;
  /** The client reads too slowly: closes the connection if it is still open. */
  drop(): void;
}

/** A reader is disconnected because it read too slowly. */
export class SlowReader extends Error {
  override readonly name = 'SlowReader';

  constructor() {
    super('the client reads the response too slowly');
  }
}

/**
 * Watches the pace of one reader. Only time that the server waits for it counts. Every byte read earns the time of the
 * minimum rate, with at most `SEND_PATIENCE_MS` in advance.
 */
export class SendPace {
  private leftMs = SEND_PATIENCE_MS;
  private since = 0;
  private cancel: (() => void) | null = null;

  constructor(private readonly clock: Pick<Clock, 'monotonic' | 'after'>) {}

  /** Starts waiting for the reader, and calls back if it takes too long. */
  wait(onSlow: () => void): void {
    this.since = this.clock.monotonic();
    this.cancel = this.clock.after(this.leftMs, onSlow);
  }

  /** Ends the wait. `bytes`: read meanwhile; 0 if the wait ended for another reason. */
  took(bytes: number): void {
    if (this.cancel === null) return;
    this.cancel();
    this.cancel = null;
    const waitedMs = this.clock.monotonic() - this.since;
    const earnedMs = (bytes * 1_000) / SEND_BYTES_PER_SECOND_MIN;
    this.leftMs = Math.min(SEND_PATIENCE_MS, this.leftMs - waitedMs + earnedMs);
  }
}
