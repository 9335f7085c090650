import { type Clock, showBytes } from '../base/index.js';

/** The rate is that of the last this many milliseconds. */
const WINDOW_MS = 10_000;
/** Without a rate for less than this, it would jump. */
const RATE_MS_MIN = 1_000;

/** How far a download of several files is. */
export class PullProgress {
  /** Bytes that are on the disk. */
  done = 0;
  /** Bytes from the network and when they had arrived, oldest first; about one entry per 100 ms. */
  private readonly marks: Array<{ at: number; bytes: number }>;
  private received = 0;

  constructor(
    /** Bytes of all files. */
    readonly total: number,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {
    this.marks = [{ at: clock.monotonic(), bytes: 0 }];
  }

  /** Counts bytes; those that the disk already had say nothing about the rate. */
  add(bytes: number, source: 'disk' | 'network'): void {
    this.done += bytes;
    const now = this.clock.monotonic();
    if (source === 'disk') {
      // Reading them took time in which nothing could arrive.
      this.marks.splice(0, this.marks.length, { at: now, bytes: this.received });
      return;
    }
    this.received += bytes;
    if (now - (this.marks.at(-1)?.at ?? 0) >= 100) this.marks.push({ at: now, bytes: this.received });
    while (this.marks.length > 2 && now - (this.marks[1]?.at ?? now) > WINDOW_MS) this.marks.shift();
  }

  /** Bytes per second; null until it is known. */
  get rate(): number | null {
    const { at, bytes } = this.marks[0] as { at: number; bytes: number };
    const ms = this.clock.monotonic() - at;
    return ms < RATE_MS_MIN || this.received === bytes ? null : ((this.received - bytes) / ms) * 1_000;
  }

  /** Such as `45 % of 4.9 GB, 85 MB/s, 32 s left`. */
  toString(): string {
    const parts = [
      `${Math.floor((this.done / Math.max(1, this.total)) * 100)} % of ${showBytes(this.total)}`,
    ];
    const { rate } = this;
    if (rate !== null && this.done < this.total) {
      parts.push(`${showBytes(rate)}/s`, `${showDuration((this.total - this.done) / rate)} left`);
    }
    return parts.join(', ');
  }
}

/** A duration in seconds, rounded: `45 s`, `12 min`, `3 h 20 min`. */
function showDuration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
