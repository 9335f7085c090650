import { DatabaseUnavailable } from '../postgres/database-errors.js';
import { requireUsableFormat } from '../postgres/schema/format.js';
import { type Queryable, statement } from '../postgres/statement.js';

/**
 * A moment in the history of the database: the number of the last administrative change, and the random mark that was
 * written with it. After a failover to a standby that lacks changes, or a restore from a backup, later changes get the same
 * numbers, but other marks.
 */
export interface Moment {
  readonly number: number;
  /** Null: the database has no mark of this change. */
  readonly mark: string | null;
}

/** Before the first change. */
export const BEGINNING: Moment = { number: 0, mark: null };

/** Where a database is in its history. */
export interface Position {
  readonly last: Moment;
  /** Whether the database has the change of the moment that was asked for. Then it has all earlier ones too. */
  readonly follows: boolean;
}

/** The database keeps the marks of this many changes. A copy that is further behind is read anew. */
export const MARKS_KEPT = 10_000;

const POSITION = statement(
  'directory-changes',
  `SELECT service.changes AS number, service.format, last.mark, known.mark AS "knownMark", pg_is_in_recovery() AS "isStandby"
   FROM service
   LEFT JOIN change_marks AS last ON last.number = service.changes
   LEFT JOIN change_marks AS known ON known.number = $1
   WHERE service.id = 1`,
);
const ADD = statement(
  'change-mark',
  `INSERT INTO change_marks (number, mark) VALUES ($1, gen_random_uuid())
   ON CONFLICT (number) DO UPDATE SET mark = excluded.mark RETURNING mark`,
);
const HAS = statement('change-has', 'SELECT 1 FROM change_marks WHERE number = $1 AND mark = $2');
const FORGET = statement('change-marks-forget', 'DELETE FROM change_marks WHERE number <= $1');

interface Row {
  readonly number: number;
  readonly format: number;
  readonly mark: string | null;
  readonly knownMark: string | null;
  readonly isStandby: boolean;
}

/**
 * Where the database is, seen from an earlier moment. Throws DatabaseUnavailable, also if the server is a standby, or if the
 * database has another format: its rows may mean something else.
 */
export async function positionAfter(database: Queryable, { number, mark }: Moment): Promise<Position> {
  const [row] = await database.query<Row>(POSITION, [number]);
  // A standby may be far behind, and does not know it.
  if (row?.isStandby)
    throw new DatabaseUnavailable(
      'The database is read-only: store.url must name the primary server (SQLSTATE 25006).',
      '25006',
    );
  if (row !== undefined) requireUsableFormat(row.format);
  const last = row === undefined ? BEGINNING : { number: row.number, mark: row.mark };
  const isKnown = mark === null ? number === 0 : row?.knownMark === mark;
  return { last, follows: isKnown && number <= last.number };
}

/** Writes the mark of a change, in its transaction. */
export async function writeMark(transaction: Queryable, number: number): Promise<Moment> {
  const [row] = await transaction.query<{ mark: string }>(ADD, [number]);
  if (number > MARKS_KEPT) await transaction.execute(FORGET, [number - MARKS_KEPT]);
  return { number, mark: row?.mark ?? null };
}

/** Whether the database has a change, if fewer than MARKS_KEPT followed it. */
export async function hasChange(transaction: Queryable, { number, mark }: Moment): Promise<boolean> {
  return (await transaction.query(HAS, [number, mark])).length > 0;
}
