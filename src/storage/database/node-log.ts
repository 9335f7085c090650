import type { Clock } from '../../base/index.js';
import type { Log } from '../../telemetry/index.js';
import type { CalendarEvent } from './calendar/calendar.js';
import type { LostChanges } from './directory/directory-copy.js';

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

const SENTENCES: Readonly<Record<CalendarEvent, string>> = {
  held: 'the clock of the database has jumped; the cluster follows it if that lasts for 5 minutes, and nothing expires meanwhile',
  undone: 'the clock of the database has returned from its jump',
  accepted:
    'the clock of the database has jumped; the cluster follows it now, and deletes nothing for an hour',
  skewed:
    'the clock of this host, which this log shows, differs from the time of the cluster; check both clocks (NTP)',
  doubtful: 'the clock of the database differs from the last recorded time; nothing expires for 5 minutes',
};

/** Logs what this node learns of the clocks, as a warning. `ms`: how far one has jumped, or is ahead. */
export const logCalendar =
  (log: Log) =>
  (event: CalendarEvent, ms: number): void =>
    log.warn({ ms }, SENTENCES[event]);

/** Ids in a log line. */
const IDS_MAX = 20;

/** Logs that the database lacks administrative changes, and which keys were revoked by them. */
export function logLostChanges(log: Log, { unrevoked, missing }: LostChanges): void {
  log.error(
    { unrevoked: unrevoked.slice(0, IDS_MAX), missing: missing.slice(0, IDS_MAX) },
    'the database lacks administrative changes that it had before, as after a failover; make them again, first the revocations',
  );
}
