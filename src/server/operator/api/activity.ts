import type { OperatorLive } from '../../../api/index.js';
import type { Clock } from '../../../base/index.js';
import type { RequestHistory } from '../../request-history.js';
import { LoopDelay } from '../loop-delay.js';

/** Calls within this time of a sample get that sample, so that several readers do not shorten each other's windows. */
export const SAMPLE_MS_MIN = 500;

type Sample = Pick<OperatorLive, 'requests' | 'event_loop_delay_ms' | 'window_seconds'>;

/** The rate of requests and the delay of the event loop, since the sample before. */
export class Activity {
  private readonly delays = new LoopDelay();
  private last: { readonly at: number; readonly total: number };
  private sample: Sample | null = null;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly history: Pick<RequestHistory, 'total'>,
  ) {
    this.last = { at: clock.monotonic(), total: 0 };
  }

  read(): Sample {
    const { total } = this.history;
    const at = this.clock.monotonic();
    const ms = at - this.last.at;
    if (this.sample !== null && ms < SAMPLE_MS_MIN) return this.sample;
    const seconds = Math.max(ms, 1) / 1_000;
    const delayMs = (quantile: number) => rounded(this.delays.ms(quantile));
    this.sample = {
      requests: { total, per_second: rounded((total - this.last.total) / seconds) },
      event_loop_delay_ms: { p50: delayMs(0.5), p99: delayMs(0.99), max: delayMs(1) },
      window_seconds: rounded(seconds),
    };
    this.last = { at, total };
    this.delays.reset();
    return this.sample;
  }

  stop(): void {
    this.delays.stop();
  }
}

const rounded = (value: number) => Math.round(value * 100) / 100;
