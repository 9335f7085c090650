import { type Clock, FOLLOWED_MS } from '../../../base/index.js';

/** A larger difference between the clock of a host and the calendar, in milliseconds, is reported. */
export const SKEW_MS_MAX = 2_000;

/** The difference between the clock of this host, which its log shows, and the calendar of the cluster. */
export class HostSkew {
  private isReported = false;

  /** @param onSkew called once when the difference has become larger than SKEW_MS_MAX, until it is small again */
  constructor(
    private readonly host: Clock,
    private readonly calendar: Clock,
    private readonly onSkew: (ms: number) => void,
  ) {}

  /** How far the clock of the host is ahead, in milliseconds. */
  get ms(): number {
    return Math.round(this.host.now() - this.calendar.now());
  }

  /** Call it at every heartbeat that agrees with this node. */
  look(): void {
    const { ms } = this;
    if (Math.abs(ms) <= FOLLOWED_MS) this.isReported = false;
    if (Math.abs(ms) <= SKEW_MS_MAX || this.isReported) return;
    this.isReported = true;
    this.onSkew(ms);
  }
}
