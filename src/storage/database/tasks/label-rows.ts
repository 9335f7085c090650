import type { AnswerRow, LabelCounts, LabelRow, Task } from '../../../tasks/index.js';
import { NOW_MS } from '../postgres/calendar-sql.js';
import { type Queryable, statement } from '../postgres/statement.js';

const ANSWERS = statement(
  'task-answers-find',
  'SELECT ref, at, version, build, sealed FROM task_answers WHERE task = $1 AND ref = ANY($2)',
);
const LABELS = statement(
  'task-labels-find',
  'SELECT ref, at, version, build, sealed, expected FROM task_labels WHERE task = $1 AND ref = ANY($2)',
);
const ALL = statement(
  'task-labels-all',
  `SELECT ref, at, version, build, sealed, expected FROM task_labels
   WHERE task = $1 AND version = $2 AND build = $3 ORDER BY ref`,
);
const COUNT = statement(
  'task-labels-count',
  `SELECT count(*) AS all, count(*) FILTER (WHERE version = $2) AS current FROM task_labels WHERE task = $1`,
);
const REMOVE_EARLIER = statement(
  'task-labels-remove-earlier',
  `DELETE FROM task_labels WHERE task = $1 AND ref IN (
     SELECT ref FROM task_labels WHERE task = $1 AND version < $2 ORDER BY version, at, ref LIMIT $3
   )`,
);
// The time is read once the table is locked: see `acceptJump`.
const PUT = statement(
  'task-labels-put',
  `INSERT INTO task_labels (task, ref, at, version, build, sealed, expected)
   SELECT $1, ref, (SELECT ${NOW_MS}), version, build, sealed, expected
   FROM json_to_recordset($2::json) AS rows(ref text, version int, build text, sealed text, expected text)
   ON CONFLICT (task, ref) DO UPDATE SET at = excluded.at, version = excluded.version, build = excluded.build,
     sealed = excluded.sealed, expected = excluded.expected`,
);

type Versioned = Pick<Task, 'id' | 'version'>;

const byRef = <Row extends { readonly ref: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [row.ref, row]));

/** The answers of a task with these references. */
export const findAnswers = async (sql: Queryable, task: string, refs: readonly string[]) =>
  byRef(await sql.query<AnswerRow>(ANSWERS, [task, refs]));

/** The labelled answers of a task with these references. */
export const findLabels = async (sql: Queryable, task: string, refs: readonly string[]) =>
  byRef(await sql.query<LabelRow>(LABELS, [task, refs]));

/** The labelled answers of a version of a task and a build. */
export const allLabels = (
  sql: Queryable,
  task: string,
  version: number,
  build: string,
): Promise<LabelRow[]> => sql.query<LabelRow>(ALL, [task, version, build]);

/** How many labelled answers a task has. */
export async function countLabels(sql: Queryable, { id, version }: Versioned): Promise<LabelCounts> {
  const [counts] = await sql.query<LabelCounts>(COUNT, [id, version]);
  return counts as LabelCounts;
}

/** Removes so many labelled answers of versions before that in use: those of `removedForRoom`. */
export async function removeEarlier(
  sql: Queryable,
  { id, version }: Versioned,
  count: number,
): Promise<void> {
  if (count > 0) await sql.execute(REMOVE_EARLIER, [id, version, count]);
}

/** Stores labelled answers that are labelled now, in place of those with the same reference. */
export async function putLabels(sql: Queryable, task: string, rows: readonly LabelRow[]): Promise<void> {
  await sql.execute(PUT, [task, JSON.stringify(rows)]);
}
