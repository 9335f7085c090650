import type { Log } from '../../../telemetry/index.js';
import type { CalendarEvent } from './calendar.js';

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
