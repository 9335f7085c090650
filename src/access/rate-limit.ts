import { ApiError } from '../api/index.js';
import type { Clock } from '../base/index.js';
import { type MinuteLimits, type RatesLeft, SlidingWindow, WINDOW_MS } from './sliding-window.js';

/** At this many keys, those that were idle for a minute are removed before another one is added. */
const SWEEP_KEYS_MIN = 1_024;

/** The window of a key without requests. */
const UNUSED = new SlidingWindow();

/** The limits of each key per minute (contract 8). */
export interface RateLimits {
  /** Counts a request of `bytes` bytes, or throws ApiError `rate_limited` and counts nothing. */
  take(key: string, bytes: number, limits: MinuteLimits): void;
  /** What a key may still send now. */
  left(key: string, limits: MinuteLimits): RatesLeft;
}

/**
 * Limits the requests and bytes per minute of each key. In memory only: a restart resets it.
 *
 * `earlyMs`: `add` counts requests up to this many milliseconds too early. `Retry-After` and the time of the reset are longer
 * by as much, and a minute at most.
 */
export class RateLimiter implements RateLimits {
  private readonly windows = new Map<string, SlidingWindow>();
  private sweepAt = SWEEP_KEYS_MIN;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly earlyMs = 0,
  ) {}

  take(key: string, bytes: number, limits: MinuteLimits): void {
    const now = this.clock.monotonic();
    if (bytes > limits.bytesPerMinute) {
      throw new ApiError(
        'rate_limited',
        `The body has ${bytes} bytes; the key may send ${limits.bytesPerMinute} bytes per minute. Send a smaller body, or have the limit of the workspace raised.`,
        { final: true },
      );
    }
    const waitMs = this.windowOf(key, now).take(now, bytes, limits);
    if (waitMs === 0) return;
    throw new ApiError(
      'rate_limited',
      `The key is over its limit of ${limits.requestsPerMinute} requests or ${limits.bytesPerMinute} bytes per minute.`,
      { retryAfterSeconds: this.withMargin(waitMs) / 1_000 },
    );
  }

  /** Counts requests of a key that another process has admitted at `time`, by the monotonic clock of this one. */
  add(key: string, time: number, requests: number, bytes: number): void {
    const now = this.clock.monotonic();
    this.windowOf(key, now).add(now, Math.min(time, now), requests, bytes);
  }

  left(key: string, limits: MinuteLimits): RatesLeft {
    const { resetMs, ...left } = (this.windows.get(key) ?? UNUSED).left(this.clock.monotonic(), limits);
    return { ...left, resetMs: resetMs === 0 ? 0 : this.withMargin(resetMs) };
  }

  /** A wait that is long enough for every process: longer by what `add` may count too early. */
  private withMargin(waitMs: number): number {
    return Math.min(waitMs + this.earlyMs, WINDOW_MS);
  }

  private windowOf(key: string, now: number): SlidingWindow {
    const found = this.windows.get(key);
    if (found !== undefined) return found;
    if (this.windows.size >= this.sweepAt) this.sweep(now);
    const window = new SlidingWindow();
    this.windows.set(key, window);
    return window;
  }

  private sweep(now: number): void {
    for (const [key, window] of this.windows) if (window.isIdle(now)) this.windows.delete(key);
    this.sweepAt = Math.max(SWEEP_KEYS_MIN, this.windows.size * 2);
  }
}
