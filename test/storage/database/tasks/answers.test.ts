// The answers to tasks that a node writes.
import { randomBytes } from 'node:crypto';
import { type Test, test } from 'tap';
import { statement } from '../../../../src/storage/database/index.js';
import { DatabaseAnswers } from '../../../../src/storage/database/tasks/answers.js';
import { DatabaseTasks } from '../../../../src/storage/database/tasks/tasks.js';
import type { Task, TaskAnswer } from '../../../../src/tasks/index.js';
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
  const session = { id: null, lost() {} };
  const tasks = new DatabaseTasks({ database, session, masterKey: () => masterKey, clock, onError });
  const outcomes: Record<string, boolean[]> = {};
  const record = (task: Task, ...all: TaskAnswer[]) => {
    outcomes[task.name] ??= [];
    for (const each of all) answers.record(task, each, (isKept) => outcomes[task.name]?.push(isKept));
  };
  return { run, errors, answers, tasks, record, outcomes };
}

test('a flush ends while further answers arrive faster than they are written', NEEDS_POSTGRES, async (t) => {
  let writes = 0;
  const { answers, tasks, run, record } = await world(t, (task) => {
    writes += 1;
    if (writes < 10) record(task, answer(writes));
  });
  const task = await putOf(tasks, 'w', 'a');
  answers.start(TASK_BOUNDS);
  t.teardown(() => answers.stop());
  record(task, answer(0));
  await answers.flush();
  t.equal(writes, 1);
  t.strictSame(await run('SELECT number FROM task_answers'), [{ number: 1 }]);
});

test('a task whose answers the database refuses does not block the others', NEEDS_POSTGRES, async (t) => {
  const { answers, tasks, run, record, outcomes, errors } = await world(t);
  const [one, refused, two] = [
    await putOf(tasks, 'w', 'one'),
    await putOf(tasks, 'w', 'refused'),
    await putOf(tasks, 'w', 'two'),
  ];
  await run(`ALTER TABLE task_answers ADD CHECK (task <> '${refused.id}')`);
  answers.start(TASK_BOUNDS);
  t.teardown(() => answers.stop());
  for (let round = 0; round < 2; round += 1) {
    for (const task of [one, refused, two]) record(task, answer(round));
    await answers.flush();
  }
  const stored = await run<{ task: string; count: number }>(
    'SELECT task, count(*)::int AS count FROM task_answers GROUP BY task ORDER BY task',
  );
  const expected = [one, two].map(({ id }) => ({ task: id, count: 2 }));
  t.strictSame(
    stored,
    expected.sort((a, b) => (a.task < b.task ? -1 : 1)),
  );
  t.strictSame(outcomes, { one: [true, true], refused: [false, false], two: [true, true] });
  t.match(errors, [{ name: 'StatementError' }]);
  t.equal(errors.length, 1, 'reported once');
  await run('ALTER TABLE task_answers DROP CONSTRAINT task_answers_task_check');
  record(refused, answer(9));
  await answers.flush();
  t.strictSame(outcomes.refused, [false, false, true]);
});

test('answers for which there is no room are counted as dropped', NEEDS_POSTGRES, async (t) => {
  const { answers, tasks, record, outcomes } = await world(t);
  const task = await putOf(tasks, 'w', 'a');
  answers.start({ ...TASK_BOUNDS, maxAnswers: () => 0 });
  t.teardown(() => answers.stop());
  record(task, answer(1), answer(2));
  t.strictSame(outcomes.a, [], 'not known yet');
  await answers.flush();
  t.strictSame(outcomes.a, [false, false]);
});

test('many answers and labels are encrypted in turns of the event loop', NEEDS_POSTGRES, async (t) => {
  const { answers, tasks, record } = await world(t);
  const task = await putOf(tasks, 'w', 'a');
  let turn = 0;
  let isOver = false;
  const perTurn = new Map<number, number>();
  const countTurns = () => {
    turn += 1;
    if (!isOver) setImmediate(countTurns);
  };
  const counted = (number: number): TaskAnswer => ({
    ...answer(number),
    get probabilities() {
      perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
      return [[0.25, 0.75]];
    },
  });
  const many = Array.from({ length: 1_000 }, (_, number) => counted(number));
  const most = () => Math.max(...perTurn.values());
  countTurns();
  answers.start(TASK_BOUNDS);
  t.teardown(() => answers.stop());
  record(task, ...many);
  await answers.flush();
  t.ok(most() <= 64, `${most()} answers`);
  perTurn.clear();
  const labels = many.map((each, at) => ({
    line: at + 1,
    reference: each.reference,
    expected: { q: 0 },
    answer: each,
  }));
  t.match(await tasks.label(task, labels), { stored: true, labels: 1_000 });
  // Each is read twice.
  t.ok(most() <= 64, `${most() / 2} labels`);
  isOver = true;
});
