// The answers to tasks that a node writes.
import { randomBytes } from 'node:crypto';
import { type Test, test } from 'tap';
import { statement } from '../../../../src/storage/database/index.js';
import { DatabaseAnswers } from '../../../../src/storage/database/tasks/answers.js';
import { DatabaseTasks } from '../../../../src/storage/database/tasks/tasks.js';
import type { Task } from '../../../../src/tasks/index.js';
import { putOf, TASK_BOUNDS } from '../../../support/batch/batch-tasks.js';
import { fakeClock } from '../../../support/fake-clock.js';
import { NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';

const answer = (number: number) => ({
  reference: `req_${number}`,
  version: 1,
  build: 'm-1',
  probabilities: [[0.25, 0.75]],
});

/** The answers of a node, and tasks of the workspace `w`. `onKey`: called each time the answers of a task are encrypted. */
async function world(t: Test, onKey: (task: Task) => void = () => {}) {
  const { database } = await newDatabase(t);
  const run = <Row extends object>(text: string, ...values: unknown[]) =>
    database.query<Row>(statement('', text), values);
  await run(`INSERT INTO workspaces VALUES ('w', 0, NULL, NULL, 1, 1, 0, 0)`);
  const clock = fakeClock();
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const dataKey = randomBytes(32);
  const answers = new DatabaseAnswers({
    database,
    clock,
    keyOf: async (task) => {
      onKey(task);
      return dataKey;
    },
    onError,
  });
  const masterKey = randomBytes(32);
  const tasks = new DatabaseTasks({ database, masterKey: () => masterKey, clock, onError });
  return { database, run, clock, errors, answers, tasks };
}

test('a flush ends while further answers arrive faster than they are written', NEEDS_POSTGRES, async (t) => {
  let writes = 0;
  const { answers, tasks, run } = await world(t, (task) => {
    writes += 1;
    if (writes < 10) answers.record(task, answer(writes));
  });
  const task = await putOf(tasks, 'w', 'a');
  answers.start(TASK_BOUNDS);
  t.teardown(() => answers.stop());
  answers.record(task, answer(0));
  await answers.flush();
  t.equal(writes, 1);
  t.strictSame(await run('SELECT number FROM task_answers'), [{ number: 1 }]);
});
