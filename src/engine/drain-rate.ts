import type { Clock } from '../base/index.js';

/** Weight of the newest wave in the moving average, which covers about ten waves. */
const NEWEST_WEIGHT = 0.2;
const RETRY_SECONDS_MAX = 60;

/** Measures how fast waves empty the queue; `Retry-After` is computed from it. */
export class DrainRate {
  private tokensPerMs: number | null = null;

  constructor(private readonly clock: Clock) {}

  /** Call it when a wave starts; call the returned function with the wave's tokens when it ends. */
  measure(): (tokens: number) => void {
    const started = this.clock.monotonic();
    return (tokens) => {
      const rate = tokens / Math.max(this.clock.monotonic() - started, 0.1);
      const before = this.tokensPerMs ?? rate;
      this.tokensPerMs = before + NEWEST_WEIGHT * (rate - before);
    };
  }

  /** Milliseconds per token of recent waves; null if none has been measured. */
  get msPerToken(): number | null {
    return this.tokensPerMs === null ? null : 1 / this.tokensPerMs;
  }

  /** Whole seconds, from 1 to 60, until `contexts` contexts have computed `tokens` tokens. */
  secondsFor(tokens: number, contexts: number): number {
    if (this.tokensPerMs === null) return 1;
    const seconds = tokens / (this.tokensPerMs * contexts) / 1_000;
    return Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil(seconds)));
  }
}
