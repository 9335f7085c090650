import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** How often the delay of the event loop is measured, in milliseconds. */
const RESOLUTION_MS = 20;

/** The delay of this thread's event loop since the last `reset`. */
export class LoopDelay {
  private readonly times: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.times.enable();
  }

  /**
   * A quantile of the delay, in milliseconds.
   *
   * @param quantile above 0; 1 is the maximum
   */
  ms(quantile: number): number {
    // What is measured is the time between two timers, in nanoseconds; without delay it is the resolution.
    return Math.max(0, this.times.percentile(quantile * 100) / 1e6 - RESOLUTION_MS);
  }

  reset(): void {
    this.times.reset();
  }

  stop(): void {
    this.times.disable();
  }
}
