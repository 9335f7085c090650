import { FOLLOWED_MS, JUMP_LASTS_MS, STOPPED_MS_MAX, showTime } from '../base/index.js';
import { DOUBT_MS } from '../batch/index.js';
import {
  type CalendarReading,
  type Database,
  findCalendar,
  listNodes,
  SKEW_MS_MAX,
  timeOf,
} from '../storage/database/index.js';
import { type Finding, ok, warning } from './findings.js';

const REMEDY = 'Check the clock of the database (NTP); see docs/cluster.md, Clocks.';

/** What `decider doctor` says of the calendar of the cluster and of the clocks of its hosts. */
export async function* examineCalendar(database: Database): AsyncGenerator<Finding> {
  const serving = (await listNodes(database)).filter(({ serves }) => serves);
  const reading = await findCalendar(database);
  yield reading === null ? ok('clock', 'no time recorded yet') : examine(reading, serving.length > 0);
  const skewed = serving.filter(({ ahead }) => Math.abs(ahead) > SKEW_MS_MAX);
  if (skewed.length === 0) return;
  const names = skewed.map(({ name, ahead }) => `${name} by ${seconds(ahead)}`).join(', ');
  yield warning(
    'clocks',
    `the clocks of these hosts are ahead of the time of the cluster (negative: behind): ${names}.`,
    'Check their clocks (NTP): their logs show these times.',
  );
}

function examine(reading: CalendarReading, isServed: boolean): Finding {
  const { row } = reading;
  const recorded = showTime(row.confirmed);
  if (row.since !== null) {
    const jump = `the clock of the database has jumped by ${seconds(-row.correction)} since ${showTime(row.since)}`;
    return warning(
      'clock',
      `${jump}; the cluster follows it after ${minutes(JUMP_LASTS_MS)}, and nothing expires meanwhile.`,
      REMEDY,
    );
  }
  const ahead = timeOf(reading) - row.confirmed;
  if (!isServed && (ahead < -FOLLOWED_MS || ahead > STOPPED_MS_MAX)) {
    const detail = `the clock of the database is ${seconds(ahead)} ahead of the last recorded time, ${recorded}; after a start nothing expires for ${minutes(JUMP_LASTS_MS)}`;
    return ahead < 0 ? warning('clock', `${detail}.`, REMEDY) : ok('clock', detail);
  }
  if (row.doubted !== null && row.confirmed - row.doubted < DOUBT_MS) {
    const doubted = showTime(row.doubted);
    return warning(
      'clock',
      `the clock of the database has jumped; at ${doubted} the cluster followed it. Nothing expires for ${minutes(JUMP_LASTS_MS)}, and nothing is deleted for ${minutes(DOUBT_MS)}.`,
      REMEDY,
    );
  }
  return ok('clock', `last recorded time ${recorded}`);
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const minutes = (ms: number) => `${Math.round(ms / 60_000)} minutes`;
