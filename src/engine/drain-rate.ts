import type { Clock } from '../base/index.js';

/** Weight of the newest wave in the mean; about the last ten count. */
const NEWEST_WEIGHT = 0.2;
const RETRY_SECONDS_MAX = 60;

/** How fast waves empty the queue, measured: what `Retry-After` is computed from. */
export class DrainRate {
  private tokensPerMs: number | null = null;

  constructor(private readonly clock: Clock) {}

  /** Call when a wave starts; call what it returns with the wave's tokens when it is done. */
  measure(): (tokens: number) => void {
    const started = this.clock.monotonic();
    return (tokens) => {
      const rate = tokens / Math.max(this.clock.monotonic() - started, 0.1);
      const before = this.tokensPerMs ?? rate;
      this.tokensPerMs = before + NEWEST_WEIGHT * (rate - before);
    };
  }

  /** Whole seconds until so many tokens are computed by so many contexts: 1 to 60. */
  secondsFor(tokens: number, contexts: number): number {
    if (this.tokensPerMs === null) return 1;
    const seconds = tokens / (this.tokensPerMs * contexts) / 1_000;
    return Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil(seconds)));
  }
}
