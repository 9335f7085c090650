import { type Clock, FOLLOWED_MS, JUMP_LASTS_MS, STOPPED_MS_MAX } from '../../../base/index.js';
import type { Queryable } from '../postgres/statement.js';
import {
  type CalendarReading,
  type CalendarRow,
  readCalendar,
  type StartReading,
  timeOf,
  writeStart,
} from './calendar-row.js';

/** Nodes confirm the calendar every second: a confirmation of up to this many milliseconds ago is of a running node. */
const CONFIRMED_MS_MAX = 3_000;
/** The interval at which a start polls whether nodes are running, in milliseconds: longer than that of heartbeats. */
const POLL_MS = 2_000;
/** The most polls while nodes are running and have not confirmed the time. */
const POLLS_MAX = 5;

/**
 * The calendar for a node or command that starts, and so has no time of its own to compare the database's clock with. It
 * takes the time that running nodes confirm. Without running nodes it starts the calendar as a server on a data folder
 * does: see rule 4 of `SteadyClock`. Throws DatabaseUnavailable.
 */
export async function startCalendar(
  database: Queryable,
  clock: Pick<Clock, 'after'>,
): Promise<CalendarReading> {
  let pulse: string | null = null;
  for (let polls = 0; ; ) {
    const reading = await readCalendar(database);
    if (isConfirmed(reading)) return reading;
    // The clock may have jumped just now, and running nodes find it with their next heartbeats.
    const mayRun = reading.pulse !== '' && reading.pulse !== pulse;
    ({ pulse } = reading);
    if (mayRun && polls < POLLS_MAX) {
      polls += 1;
      await new Promise<void>((resolve) => clock.after(POLL_MS, resolve));
    } else await writeStart(database, reading.row, started(reading));
  }
}

/** Whether a node, or another start, has just confirmed the time of a reading. */
function isConfirmed(reading: CalendarReading): boolean {
  const ahead = timeOf(reading) - reading.row.confirmed;
  return ahead >= -FOLLOWED_MS && ahead <= CONFIRMED_MS_MAX;
}

/** The calendar of a start without running nodes. */
export function started({ row, clock, pulse }: StartReading): CalendarRow {
  const { confirmed } = row;
  // What begins on a day that is over would be too old once the clock is correct again.
  const jumpedBack = { correction: confirmed - clock, since: confirmed };
  const isPlausible = (time: number) => time >= confirmed - FOLLOWED_MS && time <= confirmed + STOPPED_MS_MAX;
  // A jump that was held back may have been undone meanwhile.
  const isHeld = row.since !== null && !isPlausible(clock) && isPlausible(clock + row.correction);
  const own = clock < confirmed - FOLLOWED_MS ? jumpedBack : { correction: 0, since: null };
  const held = isHeld ? row : own;
  const now = clock + held.correction;
  const began = pulse === '' ? now : Math.min(row.began, now);
  const next = { ...row, correction: held.correction, since: held.since, began, confirmed: now };
  if (isPlausible(now)) return next;
  const before = isInDoubt(row) ? row.before : confirmed;
  return { ...next, began: now, doubted: now, before, shift: row.shift + confirmed - now };
}

/**
 * Whether the calendar had been certain for less than JUMP_LASTS_MS when it was confirmed last, or a jump was found
 * before.
 */
export const isInDoubt = ({ doubted, since, confirmed }: CalendarRow) =>
  doubted !== null && (since ?? confirmed) - doubted < JUMP_LASTS_MS;
