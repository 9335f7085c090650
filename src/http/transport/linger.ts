import type { Clock } from '../../base/index.js';

/** Bytes read and thrown away behind the last answer of a connection: twice the largest body. */
export const LINGER_BYTES_MAX = 64 * 1024 * 1024;
/** The longest wait for a further byte of them. */
export const LINGER_IDLE_MS = 2_000;
/** The longest time for all of them. */
export const LINGER_MS = 30_000;

/**
 * The time in which a client may finish sending behind the last answer of its connection. Many clients read the answer
 * only after they have sent the whole body; closed earlier, their next write fails and the answer is lost. The bytes
 * are thrown away, never read as a request.
 */
export class Linger {
  private received = 0;
  private cancelIdle: () => void = () => {};
  private readonly cancelAll: () => void;

  /** @param onEnd called once when a bound is passed, and not after `stop` */
  constructor(
    private readonly clock: Clock,
    private readonly onEnd: () => void,
  ) {
    this.cancelAll = clock.after(LINGER_MS, () => this.end());
    this.waitForByte();
  }

  /** Counts bytes that were thrown away. */
  discarded(bytes: number): void {
    this.received += bytes;
    if (this.received > LINGER_BYTES_MAX) this.end();
    else this.waitForByte();
  }

  stop(): void {
    this.cancelIdle();
    this.cancelAll();
  }

  private waitForByte(): void {
    this.cancelIdle();
    this.cancelIdle = this.clock.after(LINGER_IDLE_MS, () => this.end());
  }

  private end(): void {
    this.stop();
    this.onEnd();
  }
}
