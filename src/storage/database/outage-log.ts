import type { Clock } from '../../base/index.js';
import type { Log } from '../../telemetry/index.js';

/** While the database is away, each kind of failure is logged once in this many milliseconds. */
const EVERY_MS = 10_000;

/** Logs failures that repeat several times per second while a database is away. */
export class OutageLog {
  private readonly loggedAt = new Map<string, number>();

  constructor(
    private readonly log: Log,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  /** `what`: a sentence without the caller's data. */
  failed(what: string, error: unknown): void {
    const now = this.clock.monotonic();
    if (now - (this.loggedAt.get(what) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    this.loggedAt.set(what, now);
    this.log.error({ err: error }, what);
  }
}
