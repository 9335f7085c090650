import { JUMP_LASTS_MS } from '../../../base/index.js';
import { type Queryable, statement } from './statement.js';

/** The newest confirmed time bounds the calendar: it is at most this many milliseconds ahead of it. Nodes confirm every second. */
const UNCONFIRMED_MS_MAX = 5_000;
/** A calendar that never was in doubt has been certain for this many milliseconds. */
const ALWAYS = '9007199254740991';

/** The clock of the database in milliseconds since 1970, in SQL, even if it has jumped. */
export const DATABASE_MS = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/**
 * The time of the cluster's calendar in milliseconds since 1970, in SQL: one value per statement. A jump of the database's
 * clock moves it by UNCONFIRMED_MS_MAX at most until the nodes have found the jump (see `DatabaseCalendar`).
 */
export const NOW_MS = `coalesce(
  (SELECT least(greatest(${DATABASE_MS} + correction, confirmed), confirmed + ${UNCONFIRMED_MS_MAX}) FROM calendar),
  ${DATABASE_MS}
)`;

/** The time of sessions in milliseconds, in SQL: NOW_MS without the jumps that the calendar has followed. */
export const SESSION_MS = `(${NOW_MS} + coalesce((SELECT shift FROM calendar), 0))`;

/** SESSION_MS that also advances while no node confirms the calendar. */
export const UNCONFIRMED_SESSION_MS = `(${DATABASE_MS} + coalesce((SELECT correction + shift FROM calendar), 0))`;

/** For how many milliseconds the calendar has been certain, in SQL; see `SteadyClock`. */
export const CERTAIN_MS = `coalesce(
  (SELECT CASE WHEN since IS NOT NULL THEN 0 WHEN doubted IS NULL THEN ${ALWAYS} ELSE ${NOW_MS} - doubted END
   FROM calendar),
  ${ALWAYS}
)`;

/** The calendar by which keys and windows end and budgets begin anew, in SQL: see `Clock.settled`. */
export const SETTLED_MS = `coalesce(
  (SELECT CASE WHEN coalesce(since, ${NOW_MS}) - doubted < ${JUMP_LASTS_MS} THEN before ELSE since END FROM calendar), ${NOW_MS}
)`;

const NOW = statement('now', `SELECT ${NOW_MS} AS now`);
const CLOCK = statement('clock', `SELECT ${DATABASE_MS} AS now`);

/** The time of the cluster's calendar in milliseconds since 1970. */
export async function databaseNow(database: Queryable): Promise<number> {
  const [row] = (await database.query<{ now: number }>(NOW)) as [{ now: number }];
  return row.now;
}

/** The clock of the database in milliseconds since 1970, even if it has jumped. Needs no tables. */
export async function databaseClock(database: Queryable): Promise<number> {
  const [row] = (await database.query<{ now: number }>(CLOCK)) as [{ now: number }];
  return row.now;
}
