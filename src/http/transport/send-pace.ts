import type { Clock } from '../../base/index.js';

/** Readers that take less than this, … */
export const SEND_BYTES_PER_SECOND_MIN = 8 * 1024;
/** … and have fallen so far behind it, are dropped. */
export const SEND_PATIENCE_MS = 30_000;

/** What becomes of an answer that the kernel does not take at once. */
export interface ReplyEnds {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** All of it is with the kernel. */
  done(): void;
  /** The client takes it too slowly: closes the connection, where it is still there. */
  drop(): void;
}

/** A reader is dropped: it took bytes too slowly. */
export class SlowReader extends Error {
  override readonly name = 'SlowReader';

  constructor() {
    super('the client takes its answer too slowly');
  }
}

/**
 * Watches one reader. Only the time that the server waits for it counts: for every byte that it takes meanwhile it gets
 * the time of the least rate, and never more in advance than `SEND_PATIENCE_MS`.
 */
export class SendPace {
  private leftMs = SEND_PATIENCE_MS;
  private since = 0;
  private cancel: (() => void) | null = null;

  constructor(private readonly clock: Pick<Clock, 'monotonic' | 'after'>) {}

  /** The reader has no room: waits for it from now on, and calls back where that takes too long. */
  wait(onSlow: () => void): void {
    this.since = this.clock.monotonic();
    this.cancel = this.clock.after(this.leftMs, onSlow);
  }

  /** The wait is over, with so many bytes taken; 0 where it is over for another reason. */
  took(bytes: number): void {
    if (this.cancel === null) return;
    this.cancel();
    this.cancel = null;
    const waitedMs = this.clock.monotonic() - this.since;
    const earnedMs = (bytes * 1_000) / SEND_BYTES_PER_SECOND_MIN;
    this.leftMs = Math.min(SEND_PATIENCE_MS, this.leftMs - waitedMs + earnedMs);
  }
}
