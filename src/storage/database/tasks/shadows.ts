import { nextTurn } from '../../../base/index.js';
import {
  type AnswerRow,
  type NewPairs,
  openShadow,
  type ShadowRecord,
  sealShadow,
  type Task,
  withPairs,
  withShadowAnswer,
} from '../../../tasks/index.js';
import type { Transaction } from '../postgres/database.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { answerRefs } from './answer-refs.js';
import { findAnswers, findLabels } from './label-rows.js';

const FIND = statement('task-shadow', 'SELECT sealed FROM task_shadows WHERE task = $1');
const PUT = statement(
  'task-shadow-put',
  `INSERT INTO task_shadows (task, sealed) VALUES ($1, $2)
   ON CONFLICT (task) DO UPDATE SET sealed = excluded.sealed`,
);
const DELETE = statement('task-shadow-delete', 'DELETE FROM task_shadows WHERE task = $1');
// An answer that was removed meanwhile stays removed.
const ADD_TO_ANSWERS = statement(
  'task-shadow-answers',
  `UPDATE task_answers SET sealed = rows.sealed FROM json_to_recordset($2::json) AS rows(ref text, sealed text)
   WHERE task = $1 AND task_answers.ref = rows.ref`,
);
const ADD_TO_LABELS = statement(
  'task-shadow-labels',
  `UPDATE task_labels SET sealed = rows.sealed FROM json_to_recordset($2::json) AS rows(ref text, sealed text)
   WHERE task = $1 AND task_labels.ref = rows.ref`,
);

/** Pairs that are made in one turn of the event loop: about 2 ms. */
const TURN_PAIRS = 32;

/** What is counted of the shadow of a task; undefined: nothing. Rejects with StoreError too. */
export async function findShadow(
  sql: Queryable,
  dataKey: Buffer,
  task: Pick<Task, 'id'>,
): Promise<ShadowRecord | undefined> {
  const [row] = await sql.query<{ sealed: Buffer }>(FIND, [task.id]);
  return (row && openShadow(dataKey, task, row.sealed)) ?? undefined;
}

/** Deletes what is counted of the shadow of a task. */
export async function deleteShadow(sql: Transaction, task: string): Promise<void> {
  await sql.execute(DELETE, [task]);
}

/** Adds pairs to those that are counted, and to the answers that are kept. The task must be locked. `now`: since 1970. */
export async function addPairs(
  sql: Transaction,
  dataKey: Buffer,
  task: Task,
  pairs: NewPairs,
  now: number,
): Promise<void> {
  const record = withPairs((await findShadow(sql, dataKey, task)) ?? null, pairs, now);
  await sql.execute(PUT, [task.id, sealShadow(dataKey, task, record)]);
  const refs = await answerRefs(dataKey, pairs.answers);
  const byRef = new Map(pairs.answers.map(({ probabilities }, at) => [refs[at] as string, probabilities]));
  const added = async (rows: Iterable<AnswerRow>): Promise<string> => {
    const made: object[] = [];
    for (const row of rows) {
      if (made.length % TURN_PAIRS === TURN_PAIRS - 1) await nextTurn();
      const probabilities = byRef.get(row.ref) ?? [];
      const { shadow: build, since } = record;
      const { sealed } = withShadowAnswer(dataKey, task, row, { build, probabilities, since });
      made.push({ ref: row.ref, sealed });
    }
    return JSON.stringify(made);
  };
  const answers = await findAnswers(sql, task.id, refs);
  await sql.execute(ADD_TO_ANSWERS, [task.id, await added(answers.values())]);
  // An answer is labelled while the task is locked: its label has the answer as it was before or after this.
  const labels = await findLabels(sql, task.id, refs);
  await sql.execute(ADD_TO_LABELS, [task.id, await added(labels.values())]);
}
