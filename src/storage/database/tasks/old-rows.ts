import { RETENTION_DOUBT_MS } from '../../../tasks/index.js';
import { CERTAIN_MS, NOW_MS } from '../postgres/calendar-sql.js';
import { REMOVED_MAX, removeInParts } from '../postgres/remove-in-parts.js';
import { type Queryable, statement } from '../postgres/statement.js';

/** Whether a row is older than $1 milliseconds, in SQL. The time is a query of its own, so that an index on `at` is used. */
const IS_OLD = `at < (SELECT ${NOW_MS} - $1::bigint)`;
const MAY_EXPIRE = `(SELECT ${CERTAIN_MS} >= ${RETENTION_DOUBT_MS})`;

// The oldest answers of a task have the smallest numbers.
const OLD_ANSWERS = statement(
  'task-answers-old',
  `SELECT task, max(number) AS number FROM (
     SELECT task, number FROM task_answers
     WHERE ${IS_OLD} AND ${MAY_EXPIRE} AND EXISTS (SELECT 1 FROM tasks WHERE id = task) ORDER BY at LIMIT ${REMOVED_MAX}
   ) AS old GROUP BY task`,
);
// The row of the task is locked first, as by other writes.
const EXPIRE_ANSWERS = statement(
  'task-answers-expire',
  `WITH part AS (
     SELECT max(number) AS number FROM (
       SELECT number FROM task_answers WHERE task = $1 AND number <= $2 ORDER BY number LIMIT ${REMOVED_MAX}
     ) AS first
   ), changed AS (
     UPDATE tasks SET oldest = greatest(oldest, part.number) FROM part WHERE id = $1 RETURNING id, part.number
   )
   DELETE FROM task_answers a USING changed WHERE a.task = changed.id AND a.number <= changed.number`,
);
// The age is compared again, because an answer may have been labelled again meanwhile.
const EXPIRE_LABELS = statement(
  'task-labels-expire',
  `DELETE FROM task_labels WHERE (task, ref) IN (
     SELECT task, ref FROM task_labels WHERE ${IS_OLD} AND ${MAY_EXPIRE} ORDER BY at LIMIT ${REMOVED_MAX}
   ) AND ${IS_OLD}`,
);

/** The tables with rows of tasks that a move may bring without their task, and the column that orders the rows of a task. */
const LEFT = [
  ['task_answers', 'number'],
  ['task_labels', 'ref'],
] as const;

const leftStatements = LEFT.map(([table, column]) => ({
  // One look-up per task, however many rows it has.
  find: statement(
    `${table}-left`,
    `WITH RECURSIVE ids AS (
       SELECT min(task) AS task FROM ${table}
       UNION ALL
       SELECT (SELECT min(task) FROM ${table} WHERE task > ids.task) FROM ids WHERE ids.task IS NOT NULL
     )
     SELECT task FROM ids WHERE task IS NOT NULL AND NOT EXISTS (SELECT 1 FROM tasks WHERE id = ids.task)`,
  ),
  remove: statement(
    `${table}-left-remove`,
    `DELETE FROM ${table} WHERE task = $1 AND ${column} IN (
       SELECT ${column} FROM ${table} WHERE task = $1 ORDER BY ${column} LIMIT ${REMOVED_MAX}
     )`,
  ),
}));

/**
 * Removes answers that are older than `ms` milliseconds, unless the calendar is uncertain. Once `signal` aborts, it resolves
 * after the statement in progress.
 */
export async function expireAnswers(sql: Queryable, ms: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const old = await sql.query<{ task: string; number: number }>(OLD_ANSWERS, [ms]);
    if (old.length === 0) return;
    for (const { task, number } of old) await removeInParts(sql, EXPIRE_ANSWERS, [task, number], signal);
    if (signal.aborted) return;
  }
}

/** The same for labels. */
export const expireLabels = (sql: Queryable, ms: number, signal: AbortSignal): Promise<void> =>
  removeInParts(sql, EXPIRE_LABELS, [ms], signal);

/** The same for answers and labels without a task: a move from a data folder may have brought them. */
export async function removeLeft(sql: Queryable, signal: AbortSignal): Promise<void> {
  for (const { find, remove } of leftStatements) {
    if (signal.aborted) return;
    for (const { task } of await sql.query<{ task: string }>(find))
      await removeInParts(sql, remove, [task], signal);
  }
}
