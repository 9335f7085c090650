import type { AnswerRow } from '../../../tasks/index.js';
import { NOW_MS } from '../postgres/calendar-sql.js';
import type { Transaction } from '../postgres/database.js';
import { type Queryable, statement } from '../postgres/statement.js';

/** An answer that is not stored yet: when it was answered is known to the database. */
export interface NewAnswer extends Omit<AnswerRow, 'at'> {
  /** How many milliseconds ago it was answered. */
  readonly age: number;
}

// The row of the task is locked, so that its answers get numbers one after the other. A deleted task has none.
const INSERT = statement(
  'task-answers-insert',
  `WITH task AS (
     UPDATE tasks SET answers = answers + $2 WHERE id = $1 RETURNING id, answers - $2 AS before
   )
   INSERT INTO task_answers (task, number, ref, at, version, build, sealed)
   SELECT task.id, task.before + place, row ->> 'ref', ${NOW_MS} - (row ->> 'age')::bigint,
     (row ->> 'version')::int, row ->> 'build', row ->> 'sealed'
   FROM task, json_array_elements($3::json) WITH ORDINALITY AS rows(row, place)
   ON CONFLICT (task, ref) DO NOTHING`,
);
const KEEP = statement(
  'task-answers-keep',
  `WITH task AS (
     UPDATE tasks SET oldest = greatest(oldest, answers - $2) WHERE id = $1 RETURNING id, oldest
   )
   DELETE FROM task_answers USING task WHERE task_answers.task = task.id AND number <= task.oldest`,
);
const COUNTS = statement(
  'task-answers-counts',
  `SELECT workspace, sum(answers - oldest)::bigint AS count FROM tasks GROUP BY workspace`,
);
const COUNT = statement('task-answers-count', 'SELECT answers - oldest AS count FROM tasks WHERE id = $1');

/** Stores answers of a task, in their order, unless it was deleted. */
export async function insertAnswers(
  sql: Transaction,
  task: string,
  answers: readonly NewAnswer[],
): Promise<void> {
  await sql.execute(INSERT, [task, answers.length, JSON.stringify(answers)]);
}

/** Removes the oldest answers of a task, so that at most `count` are left. */
export async function keepAnswers(sql: Transaction, task: string, count: number): Promise<void> {
  await sql.execute(KEEP, [task, count]);
}

/** How many answers the tasks of each workspace have. */
export async function countAnswers(sql: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query<{ workspace: string; count: number }>(COUNTS);
  return new Map(rows.map(({ workspace, count }) => [workspace, count]));
}

/** How many answers a task has; 0 if it was deleted. */
export async function countOf(sql: Queryable, task: string): Promise<number> {
  return (await sql.query<{ count: number }>(COUNT, [task]))[0]?.count ?? 0;
}
