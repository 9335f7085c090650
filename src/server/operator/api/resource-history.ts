import type { Clock } from '../../../base/index.js';
import type { Engines } from '../../engines.js';
import { HISTORY_POINTS_MAX, HISTORY_STEP_MS } from '../../request-history.js';
import { shownTimes } from '../../shown-times.js';
import { LoopDelay } from '../loop-delay.js';

/** What the process used at a moment. */
interface ResourcePoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly resident_bytes: number;
  /** The 99th percentile of the delay of the event loop since the point before. */
  readonly event_loop_delay_ms: number;
  /** Plans of all models that wait for a wave. */
  readonly waiting: { readonly live: number; readonly batch: number };
}

/** What the process used in the last hour, read once a minute. Its size is bounded. */
export class ResourceHistory {
  /** With the monotonic time of each. */
  private readonly points: (ResourcePoint & { readonly monotonic: number })[] = [];
  private readonly delays = new LoopDelay();
  private cancel = () => {};

  constructor(
    private readonly clock: Pick<Clock, 'now' | 'monotonic' | 'after'>,
    private readonly engines: () => Engines,
  ) {}

  /** Reads the first point, and further ones in steps. */
  start(): void {
    this.read();
    this.cancel = this.clock.after(HISTORY_STEP_MS, () => this.start());
  }

  stop(): void {
    this.cancel();
    this.delays.stop();
  }

  /** Oldest first. */
  get all(): readonly ResourcePoint[] {
    const shown = shownTimes(this.points, this.clock);
    return this.points.map(({ monotonic: _, ...point }, index) => ({ ...point, at: shown[index] as number }));
  }

  private read(): void {
    const engines = this.engines();
    const waiting = { live: 0, batch: 0 };
    for (const { id } of engines.catalog.builds) {
      waiting.live += engines.get(id)?.waiting('live') ?? 0;
      waiting.batch += engines.get(id)?.waiting('batch') ?? 0;
    }
    this.points.push({
      at: this.clock.now(),
      monotonic: this.clock.monotonic(),
      resident_bytes: process.memoryUsage.rss(),
      event_loop_delay_ms: Math.round(this.delays.ms(0.99) * 100) / 100,
      waiting,
    });
    this.delays.reset();
    if (this.points.length > HISTORY_POINTS_MAX) this.points.shift();
  }
}
