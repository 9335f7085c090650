import { FOLLOWED_MS } from '../../../base/index.js';
import { CALENDAR_JSON, type CalendarRow } from '../calendar/calendar-row.js';
import { DATABASE_MS, NOW_MS, SESSION_MS } from '../postgres/calendar-sql.js';
import type { Database } from '../postgres/database.js';
import { holdFormat } from '../postgres/schema/format.js';
import { DATABASE_FORMAT } from '../postgres/schema/migrations.js';
import { statement } from '../postgres/statement.js';

/** A session ends when it has had no heartbeat for this many milliseconds. */
export const EXPIRY_MS = 10_000;

/** A confirmation of the calendar that is younger than this many milliseconds is not repeated. */
const CONFIRM_MS = 300;

/** What a node is called in lists. */
export interface NodeName {
  /** Such as the name of its host. */
  readonly name: string;
  /** The version of the program. */
  readonly version: string;
}

/** What a heartbeat returns. */
export interface Beat {
  /** The session. */
  readonly id: number;
  /** The calendar; null: a failover has lost it. */
  readonly row: CalendarRow | null;
  /** The clock of the database. */
  readonly clock: number;
  /** Sessions in the database, this one included. */
  readonly nodes: number;
  /** Whether a session has expired and can be deleted. */
  readonly hasExpired: boolean;
}

/** What both statements return. Their CTE `clock` has the times when they began. */
const BEAT_COLUMNS = `clock.database AS clock, ${CALENDAR_JSON} AS row,
  (SELECT count(*)::int FROM nodes) AS nodes,
  EXISTS (SELECT FROM nodes AS other WHERE other.expires < clock.session) AS "hasExpired"`;

const REGISTER = statement(
  'session-register',
  `WITH clock AS (SELECT ${NOW_MS} AS now, ${SESSION_MS} AS session, ${DATABASE_MS} AS database),
   added AS (
     INSERT INTO nodes (name, version, format, started, seen, expires, ahead)
     SELECT $1, $2, $3::int, session, session, session + $4::bigint, $5::bigint - now FROM clock RETURNING id
   )
   SELECT added.id, ${BEAT_COLUMNS} FROM added, clock`,
);

// The node confirms its own time, which a jump of the database's clock does not change: unless it is behind the calendar,
// because this host was suspended, or ahead of it. `own` is null then.
const BEAT = statement(
  'session-heartbeat',
  `WITH own AS (
     SELECT $3::bigint AS now, shift FROM calendar
     WHERE version = $4 AND $3::bigint <= ${DATABASE_MS} + correction + ${FOLLOWED_MS}
   ),
   confirmed AS (
     UPDATE calendar SET confirmed = $3, confirmed_by = $1, confirmed_clock = ${DATABASE_MS}
     FROM own WHERE version = $4 AND confirmed < $3::bigint - ${CONFIRM_MS}
   ),
   clock AS (
     SELECT greatest(${NOW_MS}, (SELECT now FROM own)) AS now,
       greatest(${SESSION_MS}, (SELECT now + shift FROM own)) AS session, ${DATABASE_MS} AS database
   )
   UPDATE nodes SET seen = clock.session, expires = clock.session + $2::bigint, ahead = $5::bigint - clock.now
   FROM clock WHERE id = $1 RETURNING nodes.id, ${BEAT_COLUMNS}`,
);

/** The clocks of this host, in milliseconds since 1970. */
interface Clocks {
  /** The calendar of the cluster, as this node continues it, and its version; 0: it is not known. */
  readonly calendar: number;
  readonly version: number;
  readonly host: number;
}

/** Adds a session. Throws OperatorError if the database has another format; DatabaseUnavailable. */
export function register(
  database: Database,
  { name, version }: NodeName,
  { host }: Pick<Clocks, 'host'>,
): Promise<Beat> {
  return database.transaction(async (transaction) => {
    await holdFormat(transaction);
    const values = [name, version, DATABASE_FORMAT, EXPIRY_MS, host];
    const [row] = (await transaction.query<Beat>(REGISTER, values)) as [Beat];
    // The statement does not see its own row.
    return { ...row, nodes: row.nodes + 1 };
  });
}

/** Extends a session; null if it has ended. Throws DatabaseUnavailable. */
export async function beat(
  database: Database,
  session: number,
  { calendar, version, host }: Clocks,
): Promise<Beat | null> {
  const [row] = await database.query<Beat>(BEAT, [session, EXPIRY_MS, calendar, version, host]);
  return row ?? null;
}
