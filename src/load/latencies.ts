import { createHistogram } from 'node:perf_hooks';

const MICROSECONDS_MAX = 3_600_000_000;

/** Durations in milliseconds. A percentile is null if fewer than 1 / (1 − percentile) durations were recorded. */
export interface LatencySummary {
  readonly count: number;
  readonly mean: number | null;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly p99_9: number | null;
  readonly max: number | null;
}

/**
 * Durations in an HDR histogram (HdrHistogram_c, part of Node): 1 µs to an hour with three significant digits, in
 * constant memory (190 KB).
 */
export class Latencies {
  private readonly histogram = createHistogram({ lowest: 1, highest: MICROSECONDS_MAX, figures: 3 });

  /** Durations outside the range count as its nearest end. */
  record(ms: number): void {
    this.histogram.record(Math.min(MICROSECONDS_MAX, Math.max(1, Math.round(ms * 1_000))));
  }

  get count(): number {
    return this.histogram.count;
  }

  /** In milliseconds; null if too few durations were recorded for it to differ from the maximum. */
  percentile(percent: number): number | null {
    const enough = this.count * (100 - percent) >= 100 - 1e-6;
    return enough ? this.histogram.percentile(percent) / 1_000 : null;
  }

  summary(): LatencySummary {
    const some = this.count > 0;
    return {
      count: this.count,
      mean: some ? this.histogram.mean / 1_000 : null,
      p50: this.percentile(50),
      p90: this.percentile(90),
      p95: this.percentile(95),
      p99: this.percentile(99),
      p99_9: this.percentile(99.9),
      max: some ? this.histogram.max / 1_000 : null,
    };
  }
}
