// Answers to tasks, by both implementations: a data folder and a database.
import { test } from 'tap';
import { DAY_MS } from '../../../src/base/index.js';
import {
  putTask,
  RETENTION_EVERY_MS,
  type Task,
  type TaskPlace,
  type TaskStore,
} from '../../../src/tasks/index.js';
import { TASK_STORES } from '../../support/store/task-stores.js';
import { until } from '../../support/until.js';

const CONTENT = {
  questions: '{"q":1}',
  model: null,
  description: null,
  targetError: 0.05,
  confidence: 0.95,
  shadow: null,
};
const BOUNDS = { answersOfTask: 5, maxAnswers: () => 1_000, retentionDays: () => 30 };

const put = (tasks: TaskStore, name: string, workspace = 'w'): Promise<Task> => {
  const place: TaskPlace = { workspace, name };
  return tasks.put(place, CONTENT, (before, id, now) => putTask(before, { ...place, id }, CONTENT, now));
};
const answer = (reference: string) => ({
  reference,
  version: 1,
  build: 'm-1',
  probabilities: [[0.25, 0.75]],
});
const label = (reference: string) => ({ line: 1, reference, expected: { q: 0 }, answer: null });
const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => `req_${first + at}`);

for (const { name, options, open } of TASK_STORES) {
  test(`${name}: the last answers of a task are kept, the oldest goes`, options, async (t) => {
    const { tasks, flush, references } = await open(t);
    tasks.start(BOUNDS);
    t.teardown(() => tasks.stop());
    const [one, two] = [await put(tasks, 'one'), await put(tasks, 'two')];
    const record = async (task: Task, from: number, to: number) => {
      let kept = 0;
      const settled = (isKept: boolean) => {
        if (isKept) kept += 1;
      };
      for (const reference of numbers(from, to)) tasks.record(task, answer(reference), settled);
      await flush();
      t.equal(kept, to - from + 1);
    };
    await record(one, 1, 5);
    t.strictSame(await references(one), numbers(1, 5));
    t.equal(await tasks.answers(one), 5);
    await record(one, 6, 6);
    t.strictSame(await references(one), numbers(2, 6), 'one past the bound');
    await record(one, 7, 20);
    t.strictSame(await references(one), numbers(16, 20), 'more than the bound at once');
    t.equal(await tasks.answers(one), 5);
    await record(two, 21, 21);
    t.strictSame([await references(two), await tasks.answers(two)], [numbers(21, 21), 1]);
  });

  test(`${name}: when all tasks have what they may have, a task replaces its own`, options, async (t) => {
    const { tasks, flush, references, clock } = await open(t);
    // Of these, a workspace may have 4.
    let max = 8;
    tasks.start({ ...BOUNDS, answersOfTask: 100, maxAnswers: () => max });
    t.teardown(() => tasks.stop());
    const [one, two] = [await put(tasks, 'one'), await put(tasks, 'two')];
    const other = await put(tasks, 'one', 'v');
    const record = async (task: Task, ...references: string[]) => {
      for (const reference of references) tasks.record(task, answer(reference));
      await flush();
      // Later than the counts of other nodes are used.
      clock.advance(60_000);
    };
    await record(one, ...numbers(1, 3));
    await record(two, ...numbers(4, 4));
    await record(one, ...numbers(5, 5));
    t.strictSame(await references(one), ['req_2', 'req_3', 'req_5'], 'the share of the workspace is used up');
    await record(other, ...numbers(6, 9));
    t.equal(await tasks.answers(other), 4, 'other workspaces have theirs');
    const late = await put(tasks, 'late');
    await record(late, 'req_10');
    t.strictSame(await references(late), [], 'a task without answers gets none');
    max = 100;
    await record(late, 'req_11');
    t.strictSame(await references(late), ['req_11']);
  });

  test(`${name}: answers are deleted by their age, and with their task`, options, async (t) => {
    const { tasks, flush, references, content, age, clock } = await open(t);
    const empty = await content();
    let days = 30;
    tasks.start({ ...BOUNDS, retentionDays: () => days });
    const task = await put(tasks, 'a');
    for (const reference of numbers(1, 3)) tasks.record(task, answer(reference));
    await flush();
    await age(2 * DAY_MS);
    tasks.record(task, answer('req_4'));
    await flush();
    t.strictSame(await references(task), numbers(1, 4));
    days = 1;
    // The next deletion waits once the first one has ended.
    await until(() => clock.timers() > 0);
    clock.advance(RETENTION_EVERY_MS);
    await until(async () => (await references(task)).length === 1 && (await tasks.answers(task)) === 1);
    t.strictSame(await references(task), numbers(4, 4));
    tasks.record(task, answer('req_5'));
    await flush();
    t.strictSame(await references(task), numbers(4, 5), 'later ones follow');
    t.ok(await tasks.remove(task));
    await until(async () => (await content()) === empty);
    await tasks.stop();
  });

  test(`${name}: an answer to a task that was deleted meanwhile leaves nothing`, options, async (t) => {
    const { tasks, flush, content } = await open(t);
    tasks.start(BOUNDS);
    const empty = await content();
    const task = await put(tasks, 'a');
    tasks.record(task, answer('req_1'));
    await tasks.remove(task);
    tasks.record(task, answer('req_2'));
    await flush();
    await until(async () => (await content()) === empty);
    await tasks.stop();
  });

  for (const last of [2 ** 31 - 1, 2 ** 32 - 1]) {
    test(`${name}: the numbers of answers do not end at ${last}`, options, async (t) => {
      const { tasks, flush, references, putFirst } = await open(t);
      tasks.start(BOUNDS);
      t.teardown(() => tasks.stop());
      const [task, other] = [await put(tasks, 'a'), await put(tasks, 'b')];
      await putFirst(task, last - 2, answer('req_1'));
      for (const reference of numbers(2, 8)) {
        tasks.record(task, answer(reference));
        tasks.record(other, answer(reference));
        await flush();
      }
      t.strictSame(await references(task), numbers(4, 8));
      t.strictSame(await references(other), numbers(4, 8));
      t.equal(await tasks.answers(task), 5);

      t.match(await tasks.label(task, [label('req_3')]), { stored: false }, 'the oldest have gone');
      t.match(await tasks.label(task, [label('req_4'), label('req_8')]), { stored: true });
    });
  }

  test(`${name}: nothing of an answer can be read without the key`, options, async (t) => {
    const { tasks, flush, content } = await open(t);
    tasks.start(BOUNDS);
    t.teardown(() => tasks.stop());
    const task = await put(tasks, 'a');
    tasks.record(task, { ...answer('batch_x/an-unmistakable-id'), probabilities: [[0.123456, 0.876544]] });
    await flush();
    const stored = await content();
    t.notMatch(stored, /unmistakable|0\.12345/);
    t.match(stored, /m-1/, 'the build can be read');
  });
}
