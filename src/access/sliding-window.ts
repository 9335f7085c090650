/** The period of the limits, in milliseconds. */
export const WINDOW_MS = 60_000;
const CAPACITY_START = 64;

/** What a key may send in a minute. */
export interface MinuteLimits {
  readonly bytesPerMinute: number;
  readonly requestsPerMinute: number;
}

/** What a key may still send. */
export interface RatesLeft {
  readonly requests: number;
  readonly bytes: number;
  /** Milliseconds until the whole limits are left, if no further request comes. */
  readonly resetMs: number;
}

/** The requests of one key in the last minute, each kept individually, so that the limit is exact. */
export class SlidingWindow {
  // A ring: `first` is the oldest of `count` entries.
  private times = new Float64Array(CAPACITY_START);
  private sizes = new Float64Array(CAPACITY_START);
  private first = 0;
  private count = 0;
  private bytes = 0;

  /**
   * Counts a request of `bytes` bytes at `now` (monotonic milliseconds) and returns 0; or counts nothing and returns after
   * how many milliseconds the request would be within the limits. `bytes` must be at most `bytesPerMinute`.
   */
  take(now: number, bytes: number, limits: MinuteLimits): number {
    this.forget(now);
    const wait = this.waitFor(now, bytes, limits);
    if (wait > 0) return wait;
    this.push(now, bytes);
    return 0;
  }

  /** Counts requests that another process admitted at `time`, at `now` or earlier, also beyond the limits. */
  add(now: number, time: number, requests: number, bytes: number): void {
    this.forget(now);
    if (time + WINDOW_MS <= now) return;
    const later = this.takeLaterThan(time);
    const each = Math.floor(bytes / requests);
    for (let at = 1; at <= requests; at += 1)
      this.push(time, at < requests ? each : bytes - each * (requests - 1));
    for (const entry of later.reverse()) this.push(entry.time, entry.size);
  }

  /** What is left of the limits at `now`. Counts nothing. */
  left(now: number, { requestsPerMinute, bytesPerMinute }: MinuteLimits): RatesLeft {
    this.forget(now);
    return {
      requests: Math.max(0, requestsPerMinute - this.count),
      bytes: Math.max(0, bytesPerMinute - this.bytes),
      resetMs: this.count === 0 ? 0 : (this.times[this.at(this.count - 1)] as number) + WINDOW_MS - now,
    };
  }

  /** Whether there was no request in the last minute. */
  isIdle(now: number): boolean {
    this.forget(now);
    return this.count === 0;
  }

  private forget(now: number): void {
    while (this.count > 0 && (this.times[this.first] as number) + WINDOW_MS <= now) {
      this.bytes -= this.sizes[this.first] as number;
      this.first = this.at(1);
      this.count -= 1;
    }
  }

  /** How long until enough of the oldest requests are out of the window. */
  private waitFor(now: number, bytes: number, { bytesPerMinute, requestsPerMinute }: MinuteLimits): number {
    let leaving = Math.max(0, this.count + 1 - requestsPerMinute);
    let left = this.bytes;
    for (let index = 0; index < this.count; index += 1) {
      if (index >= leaving && left + bytes <= bytesPerMinute) break;
      left -= this.sizes[this.at(index)] as number;
      leaving = Math.max(leaving, index + 1);
    }
    return leaving === 0 ? 0 : (this.times[this.at(leaving - 1)] as number) + WINDOW_MS - now;
  }

  /** Removes the requests after `time`, and returns them, the last one first. */
  private takeLaterThan(time: number): { readonly time: number; readonly size: number }[] {
    const taken: { readonly time: number; readonly size: number }[] = [];
    for (; this.count > 0; this.count -= 1) {
      const last = this.at(this.count - 1);
      const entry = { time: this.times[last] as number, size: this.sizes[last] as number };
      if (entry.time <= time) break;
      this.bytes -= entry.size;
      taken.push(entry);
    }
    return taken;
  }

  private at(index: number): number {
    return (this.first + index) % this.times.length;
  }

  private push(now: number, bytes: number): void {
    if (this.count === this.times.length) this.grow();
    const last = this.at(this.count);
    this.times[last] = now;
    this.sizes[last] = bytes;
    this.count += 1;
    this.bytes += bytes;
  }

  private grow(): void {
    const order = Array.from({ length: this.count }, (_, index) => this.at(index));
    const copy = (from: Float64Array) => {
      const to = new Float64Array(from.length * 2);
      order.forEach((place, index) => {
        to[index] = from[place] as number;
      });
      return to;
    };
    [this.times, this.sizes] = [copy(this.times), copy(this.sizes)];
    this.first = 0;
  }
}
