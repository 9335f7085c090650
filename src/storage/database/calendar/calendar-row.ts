import { DATABASE_MS } from '../postgres/calendar-sql.js';
import { type Queryable, statement } from '../postgres/statement.js';

/** The row of the table `calendar`. Instants are milliseconds since 1970 by the calendar of the cluster. */
export interface CalendarRow {
  /** Counts the changes, except those of `confirmed`. */
  readonly version: number;
  /** The calendar minus the database's clock, in milliseconds; not 0 while a jump of that clock is held back. */
  readonly correction: number;
  /** When the jump that is held back was found; null: there is none. */
  readonly since: number | null;
  /** The last accepted jump or doubtful start; null: there was none. */
  readonly doubted: number | null;
  /** The last certain time before it. */
  readonly before: number | null;
  /** Times that were written since then move with an accepted jump. */
  readonly began: number;
  /** The time of sessions minus the calendar: jumps that the calendar has followed, with the opposite sign. */
  readonly shift: number;
  /** The newest time of a node that continues the calendar by its monotonic clock, and the session of that node. */
  readonly confirmed: number;
  readonly confirmed_by: number | null;
  /** The database's clock then. */
  readonly confirmed_clock: number;
}

/** The calendar and the clock of the database, read together. */
export interface CalendarReading {
  readonly row: CalendarRow;
  /** The database's clock. */
  readonly clock: number;
}

/** A reading of a start. */
export interface StartReading extends CalendarReading {
  /** Changes with every heartbeat of a node; '': there are no sessions. */
  readonly pulse: string;
}

/** The calendar by a reading, with the jump that it holds back. */
export const timeOf = ({ row, clock }: CalendarReading): number => clock + row.correction;

/** The columns of the calendar as one JSON value, in SQL, for a statement that reads it among others. */
export const CALENDAR_JSON = '(SELECT row_to_json(one) FROM calendar AS one)';

const READ = statement(
  'calendar-read',
  `SELECT ${CALENDAR_JSON} AS row, ${DATABASE_MS} AS clock,
     coalesce((SELECT string_agg(xmin::text, ',' ORDER BY id) FROM nodes), '') AS pulse`,
);

const ADD = statement(
  'calendar-add',
  `INSERT INTO calendar (id, version, correction, began, shift, confirmed, confirmed_clock)
   SELECT 1, 1, 0, now, 0, now, now FROM (SELECT ${DATABASE_MS} AS now) AS clock ON CONFLICT (id) DO NOTHING`,
);

const CORRECT = statement(
  'calendar-correct',
  `UPDATE calendar SET version = version + 1, correction = $2, since = $3::bigint,
     confirmed = greatest(confirmed, $4::bigint), confirmed_by = $5::bigint, confirmed_clock = ${DATABASE_MS}
   WHERE version = $1`,
);

const START = statement(
  'calendar-start',
  `UPDATE calendar SET version = version + 1, correction = $3, since = $4::bigint, doubted = $5::bigint,
     before = $6::bigint, began = $7, shift = $8, confirmed = $9, confirmed_by = NULL, confirmed_clock = ${DATABASE_MS}
   WHERE version = $1 AND confirmed = $2`,
);

/** Reads the calendar; null: there is none yet. */
export async function findCalendar(database: Queryable): Promise<StartReading | null> {
  const [read] = await database.query<{ row: CalendarRow | null; clock: number; pulse: string }>(READ);
  return read === undefined || read.row === null ? null : { ...read, row: read.row };
}

/** Reads the calendar; makes it if there is none. */
export async function readCalendar(database: Queryable): Promise<StartReading> {
  for (;;) {
    const found = await findCalendar(database);
    if (found !== null) return found;
    await database.execute(ADD);
  }
}

/** A change of the correction. */
interface Correction {
  readonly correction: number;
  readonly since: number | null;
  /** The calendar now, by the clock of the node. */
  readonly now: number;
  readonly session: number | null;
}

/** Writes a correction, unless another node has changed the calendar since `version`. */
export async function writeCorrection(
  database: Queryable,
  version: number,
  { correction, since, now, session }: Correction,
): Promise<void> {
  await database.execute(CORRECT, [version, correction, since, now, session]);
}

/** Writes the calendar of a start, unless a node has changed or confirmed it since it was read. */
export async function writeStart(
  database: Queryable,
  read: CalendarRow,
  next: Omit<CalendarRow, 'version' | 'confirmed_by' | 'confirmed_clock'>,
): Promise<void> {
  const { correction, since, doubted, before, began, shift, confirmed } = next;
  const values = [correction, since, doubted, before, began, shift, confirmed];
  await database.execute(START, [read.version, read.confirmed, ...values]);
}
