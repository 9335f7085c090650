// Fits of tasks, by both implementations: a data folder and a database.
import { test } from 'tap';
import {
  fitsInForce,
  openAnswer,
  openExpected,
  putTask,
  type Task,
  type TaskContent,
  type TaskStore,
} from '../../../src/tasks/index.js';
import { fitOf, monitorOf } from '../../support/store/fitted-task.js';
import { TASK_STORES } from '../../support/store/task-stores.js';

const CONTENT = {
  questions: '{"q":1}',
  model: null,
  description: null,
  targetError: 0.05,
  confidence: 0.95,
  shadow: null,
};
const BOUNDS = { answersOfTask: 5, maxAnswers: () => 1_000, retentionDays: () => 30 };
const PLACE = { workspace: 'w', name: 'a' };

const put = (tasks: TaskStore, change: Partial<TaskContent> = {}): Promise<Task> => {
  const content = { ...CONTENT, ...change };
  return tasks.put(PLACE, content, (before, id, now) => putTask(before, { ...PLACE, id }, content, now));
};
const putFit = (tasks: TaskStore, task: Task, at: number, report: string) =>
  tasks.putFit(task, fitOf(task, at), report, monitorOf(fitOf(task, at)));

for (const { name, options, open } of TASK_STORES) {
  test(
    `${name}: a fit and what it has found are stored together, unless the task has changed`,
    options,
    async (t) => {
      const { tasks, content } = await open(t);
      const empty = await content();
      const task = await put(tasks);
      t.equal(await tasks.fitReport(task, 'm-1'), undefined);
      t.ok(await putFit(tasks, task, 0, '{"first":1}'));
      const fitted = (await tasks.find(PLACE)) as Task;
      t.strictSame(fitsInForce(fitted), [fitOf(task)]);
      t.equal(await tasks.fitReport(fitted, 'm-1'), '{"first":1}');
      t.ok(await putFit(tasks, task, 1, '{"second":1}'), 'an earlier view of the same version');
      t.equal(await tasks.fitReport(fitted, 'm-1'), '{"second":1}');
      await put(tasks, { targetError: 0.1 });
      const monitor = monitorOf(fitOf(task, 2));
      t.notOk(await tasks.putFit(fitted, fitOf(task, 2), '{"third":1}', monitor));
      await put(tasks, { model: 'm' });
      t.notOk(await tasks.putFit(fitted, fitOf(task, 2), '{"third":1}', monitor));
      t.equal(await tasks.fitReport(fitted, 'm-1'), '{"second":1}');
      t.strictSame((await tasks.find(PLACE))?.fits, []);
      t.notMatch(await content(), /second|0\.95/);
      await tasks.remove(PLACE);
      t.notOk(await tasks.putFit(fitted, fitOf(task, 2), '{"third":1}', monitor));
      t.equal(await tasks.fitReport(fitted, 'm-1'), undefined);
      t.equal(await tasks.labelled(fitted, 'm-1'), undefined);
      t.equal(await content(), empty);
    },
  );

  test(`${name}: the labels of the version in use and of one build are read`, options, async (t) => {
    const { tasks } = await open(t);
    tasks.start(BOUNDS);
    t.teardown(() => tasks.stop());
    const first = await put(tasks);
    const label = (line: number, version: number, build: string) => {
      const answer = { reference: `state/${line}`, version, build, probabilities: [[0.25, 0.75]] };
      return { line, reference: answer.reference, expected: { q: 1 }, answer };
    };
    await tasks.label(first, [label(1, 1, 'm-1')]);
    const task = await put(tasks, { model: 'm' });
    await tasks.label(task, [label(2, 2, 'm-1'), label(3, 2, 'm-2'), label(4, 2, 'm-1')]);
    const found = await tasks.labelled(task, 'm-1');
    if (found === undefined) throw new Error('the task is gone');
    const { dataKey, rows } = found;
    const read = rows.map((row) => [
      openAnswer(dataKey, task, row).reference,
      openExpected(dataKey, task, row).q,
    ]);
    t.strictSame(read.sort(), [
      ['state/2', 1],
      ['state/4', 1],
    ]);
  });
}
