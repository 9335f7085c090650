// Labels of answers to tasks, by both implementations: a data folder and a database.
import { test } from 'tap';
import { DAY_MS } from '../../../src/base/index.js';
import {
  type Expected,
  type NewLabel,
  putTask,
  RETENTION_EVERY_MS,
  type Task,
  type TaskContent,
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
/** The most labelled answers of a task, where it is not that of a server. */
const LABELS_MAX = 4;
const PLACE = { workspace: 'w', name: 'a' };

const put = (tasks: TaskStore, change: Partial<TaskContent> = {}): Promise<Task> => {
  const content = { ...CONTENT, ...change };
  return tasks.put(PLACE, content, (before, id, now) => putTask(before, { ...PLACE, id }, content, now));
};
const answer = (reference: string, version = 1) => ({
  reference,
  version,
  build: 'm-1',
  probabilities: [[0.25, 0.75]],
});
const label = (line: number, reference: string, expected: Expected = { q: 1 }): NewLabel => ({
  line,
  reference,
  expected,
  answer: null,
});

for (const { name, options, open } of TASK_STORES) {
  test(
    `${name}: an answer is labelled at once, corrected, and leaves the ring without its label`,
    options,
    async (t) => {
      const { tasks, labels } = await open(t);
      tasks.start(BOUNDS);
      t.teardown(() => tasks.stop());
      const task = await put(tasks);
      tasks.record(task, answer('req_1'));
      tasks.record(task, answer('req_2'));
      t.strictSame(await tasks.label(task, [label(1, 'req_1'), label(2, 'req_2', { q: 0, r: 2 })]), {
        stored: true,
        labels: 2,
      });
      t.equal(await tasks.labels(task), 2);
      const counts = await tasks.counts(task.workspace);
      t.strictSame([...counts], [[task.id, { answers: await tasks.answers(task), labels: 2 }]]);
      t.strictSame([...(await tasks.counts('none'))], []);
      t.strictSame(await tasks.label(task, [label(1, 'req_2', { q: 1 }), label(2, 'req_2', { r: null })]), {
        stored: true,
        labels: 2,
      });
      for (let at = 3; at < 20; at += 1) tasks.record(task, answer(`req_${at}`));
      t.strictSame(await tasks.label(task, [label(1, 'req_1', { q: 0 })]), { stored: true, labels: 2 });
      t.strictSame(await labels(task), { req_1: { q: 0 }, req_2: { q: 1, r: null } });
    },
  );

  test(`${name}: all labels of a call are stored, or none`, options, async (t) => {
    const { tasks, labels } = await open(t);
    tasks.start(BOUNDS);
    t.teardown(() => tasks.stop());
    const first = await put(tasks);
    tasks.record(first, answer('req_1'));
    const task = await put(tasks, { model: 'm' });
    tasks.record(task, answer('req_2', 2));
    const call = [label(1, 'req_2'), label(3, 'req_9'), label(7, 'req_1')];
    t.strictSame(await tasks.label(task, call), {
      stored: false,
      faults: [
        { line: 3, type: 'answer_not_found' },
        { line: 7, type: 'answer_of_other_version' },
      ],
    });
    t.strictSame(await labels(task), {});
    const decided = { ...label(1, 'state/1'), answer: answer('state/1', 2) };
    t.strictSame(await tasks.label(task, [decided, label(2, 'req_2')]), { stored: true, labels: 2 });
    t.strictSame(await tasks.label(task, [{ ...decided, expected: { q: 0 } }]), { stored: true, labels: 2 });
    t.strictSame(await labels(task), { 'state/1': { q: 0 }, req_2: { q: 1 } });
    await tasks.remove(PLACE);
    await t.rejects(tasks.label(task, [decided]), { message: 'The workspace has no such task.' });
  });

  test(`${name}: an answer of another node can be labelled after answersSeenMs`, options, async (t) => {
    const { tasks, other, labels, clock } = await open(t);
    if (other === null) return t.equal(tasks.answersSeenMs, undefined, 'there is one node');
    tasks.start(BOUNDS);
    other.start(BOUNDS);
    t.teardown(() => Promise.all([tasks.stop(), other.stop()]));
    const task = await put(tasks);
    other.record(task, answer('req_1'));
    clock.advance(tasks.answersSeenMs as number);
    await until(async () => (await tasks.label(task, [label(1, 'req_1')])).stored);
    t.strictSame(await labels(task), { req_1: { q: 1 } });
  });

  test(`${name}: labels of a version are refused once there is a further one`, options, async (t) => {
    const { tasks, labels } = await open(t);
    tasks.start(BOUNDS);
    t.teardown(() => tasks.stop());
    const first = await put(tasks);
    const decided = (version: number, expected: Expected) => ({
      ...label(1, 'state/1', expected),
      answer: answer('state/1', version),
    });
    const second = await put(tasks, { model: 'm' });
    t.equal((await tasks.label(second, [decided(2, { q: 1 })])).stored, true);
    await t.rejects(tasks.label(first, [decided(1, { q: 0 })]), {
      type: 'overloaded',
      message: 'The task was changed meanwhile; try again.',
    });
    t.strictSame(await labels(second), { 'state/1': { q: 1 } }, 'the label of the second version stays');
    const renamed = await put(tasks, { model: 'm', description: 'd' });
    t.equal(renamed.version, second.version);
    t.equal((await tasks.label(second, [decided(2, { q: 0 })])).stored, true, 'its version is in use');
  });

  test(
    `${name}: labels of earlier versions make room, those of the version in use do not`,
    options,
    async (t) => {
      const { tasks, labels, clock, ageLabels } = await open(t, LABELS_MAX);
      tasks.start(BOUNDS);
      t.teardown(() => tasks.stop());
      const states = (version: number, ...names: readonly string[]) =>
        names.map((each) => ({ ...label(1, each), answer: answer(each, version) }));
      const kept = async (task: Task) => Object.keys(await labels(task)).sort();
      const counted = async (task: Task) => [
        await tasks.labels(task),
        (await tasks.counts(task.workspace)).get(task.id)?.labels,
      ];
      const first = await put(tasks);
      t.strictSame(await tasks.label(first, states(1, 'a', 'b', 'c')), { stored: true, labels: 3 });
      await ageLabels(1_000);
      clock.advance(1);
      t.strictSame(await tasks.label(first, states(1, 'd')), { stored: true, labels: LABELS_MAX });
      t.strictSame(await counted(first), [LABELS_MAX, LABELS_MAX]);
      t.strictSame(await tasks.label(first, states(1, 'e')), { stored: false, faults: null }, 'one past it');
      t.strictSame(await kept(first), ['a', 'b', 'c', 'd'], 'nothing is removed by a refusal');
      t.strictSame(
        await tasks.label(first, states(1, 'a')),
        { stored: true, labels: LABELS_MAX },
        'a correction',
      );

      const second = await put(tasks, { model: 'm' });
      t.strictSame(await counted(second), [0, 0], 'those of the version in use');
      t.strictSame(await tasks.label(second, states(2, 'd')), { stored: true, labels: 1 });
      t.strictSame(await kept(second), ['a', 'b', 'c', 'd'], 'a state of both versions takes no room');
      t.strictSame(await tasks.label(second, states(2, 'f', 'g')), { stored: true, labels: 3 });
      t.strictSame(await kept(second), ['a', 'd', 'f', 'g'], 'those that were labelled first go');
      t.strictSame(await counted(second), [3, 3]);
      t.strictSame(await tasks.label(second, states(2, 'h', 'i')), { stored: false, faults: null });
      t.strictSame(await tasks.label(second, states(2, 'h')), { stored: true, labels: LABELS_MAX });
      t.strictSame(await kept(second), ['d', 'f', 'g', 'h']);
      t.equal((await tasks.labelled(second, 'm-1'))?.rows.length, LABELS_MAX);

      const third = await put(tasks, { model: 'n' });
      t.strictSame(await tasks.label(third, states(3, 'a', 'b', 'c', 'e')), {
        stored: true,
        labels: LABELS_MAX,
      });
      t.strictSame(await kept(third), ['a', 'b', 'c', 'e']);
    },
  );

  test(`${name}: labels are deleted by their age, and with their task`, options, async (t) => {
    const { tasks, labels, content, ageLabels, clock } = await open(t);
    const empty = await content();
    let days = 30;
    tasks.start({ ...BOUNDS, retentionDays: () => days });
    t.teardown(() => tasks.stop());
    const task = await put(tasks);
    for (const reference of ['req_1', 'req_2']) tasks.record(task, answer(reference));
    await tasks.label(task, [label(1, 'req_1')]);
    await ageLabels(2 * DAY_MS);
    await tasks.label(task, [label(1, 'req_2')]);
    days = 1;
    // The next deletion waits once the first one has ended.
    await until(() => clock.timers() > 0);
    clock.advance(RETENTION_EVERY_MS);
    await until(async () => (await tasks.labels(task)) === 1);
    t.strictSame(await labels(task), { req_2: { q: 1 } });
    await tasks.remove(PLACE);
    await until(async () => (await content()) === empty);
  });
}
