import { randomBytes } from 'node:crypto';
import { test } from 'tap';
import { DAY_MS } from '../../../../src/base/index.js';
import { openStore, Sealer } from '../../../../src/storage/folder/index.js';
import { FolderRetention } from '../../../../src/storage/folder/tasks/retention.js';
import { verifyTasks } from '../../../../src/storage/folder/tasks/verify-tasks.js';
import { RETENTION_DOUBT_MS, RETENTION_EVERY_MS, type Task } from '../../../../src/tasks/index.js';
import { putOf } from '../../../support/batch/batch-tasks.js';
import { dataFolder } from '../../../support/data-folder.js';
import { fakeClock } from '../../../support/fake-clock.js';
import { folderTasks, labelOf } from '../../../support/store/folder-tasks.js';
import { until } from '../../../support/until.js';

test('an answer that is labelled again while old labels are removed keeps its labels', async (t) => {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  const sealer = new Sealer(store, '');
  const clock = fakeClock(Date.parse('2026-05-10'));
  t.ok(clock.certainFor() >= RETENTION_DOUBT_MS);
  const table = store.table('task_labels');
  const write = (ref: string, at: number) =>
    table.write(['task_a', ref], { ref, at, version: 1, build: 'm', sealed: 'eA==', expected: 'eA==' });
  const [old, again] = ['0'.repeat(32), '1'.repeat(32)] as const;
  const before = clock.now() - 2 * DAY_MS;
  await store.write([
    sealer.keyWrite('task_a', randomBytes(32)),
    ...[old, again].map((ref) => write(ref, before)),
  ]);
  const retention = new FolderRetention({
    store,
    access: { flush: async () => {} },
    clock,
    bounds: { answersOfTask: 1, maxAnswers: () => 1, retentionDays: () => 1 },
    onRemoved() {},
    async afterOthers(work) {
      // The change that the removal has to wait for.
      await store.write([write(again, clock.now())]);
      await work();
    },
    onError: (error) => {
      throw error;
    },
  });
  retention.start();
  await until(() => clock.timers() > 0);
  await retention.stop();
  t.strictSame(
    [...table.keys('task_a')].map(([, ref]) => ref),
    [again],
  );
});

/** Resolves after the next run. */
async function nextRun({ system }: ReturnType<typeof folderTasks>): Promise<void> {
  await until(() => system.timers() > 0);
  system.advance(RETENTION_EVERY_MS);
  await until(() => system.timers() > 0);
}

test('an answer with a time in the future does not keep those behind it', async (t) => {
  const world = folderTasks(t);
  const { store, tasks, record, clock, errors } = world;
  const task = await putOf(tasks, 'w', 'a');
  await record(task, 'future', 'old', 'young');
  const answers = store.table('task_answers');
  const rows = [...answers.entries(task.id)];
  const at = (index: number, instant: number) => {
    const { key, value } = rows[index] as (typeof rows)[0];
    return answers.write(key, { ...value, at: instant });
  };
  await store.write([at(0, clock.now() + 40 * DAY_MS), at(1, clock.now() - 31 * DAY_MS)]);
  await nextRun(world);
  t.strictSame([...answers.keys(task.id)], [[task.id, 2]]);
  t.equal(store.table('task_refs').count([task.id]), 1);
  t.equal(await tasks.answers(task), 1);
  t.strictSame(errors, []);
});

test('damaged answers and labels do not keep others from being removed or kept', async (t) => {
  const bounds = { answersOfTask: 4, maxAnswers: () => 100, retentionDays: () => 30 };
  const world = folderTasks(t, bounds);
  const { store, tasks, record, damage, system, errors } = world;
  const [task, other] = [await putOf(tasks, 'w', 'a'), await putOf(tasks, 'w', 'b')];
  await record(task, 'one', 'two', 'three', 'four');
  await record(other, 'one');
  for (const reference of ['one', 'two']) await tasks.label(task, [labelOf(reference)]);
  await damage('task_answers', task.id, 0);
  await damage('task_labels', ...([...store.table('task_labels').keys(task.id)][0] as [string, string]));
  await record(task, 'five');
  const numbers = () => [...store.table('task_answers').keys(task.id)].map(([, number]) => number);
  t.strictSame(numbers(), [1, 2, 3, 4], 'the ring moves on');
  t.strictSame(
    [...(await tasks.counts('w')).values()].map(({ answers }) => answers),
    [4, 1],
  );
  await damage('task_answers', task.id, 2);
  system.pass(31 * DAY_MS);
  await nextRun(world);
  t.strictSame(numbers(), []);
  t.equal(store.table('task_answers').count([other.id]), 0);
  t.equal(store.table('task_labels').count([task.id]), 1, 'the age of a damaged label is unknown');
  t.strictSame(errors, []);
  await tasks.remove(task);
  await until(() => store.table('task_labels').count([task.id]) === 0);
  t.equal(store.table('task_refs').count([task.id]), 0);
});

test('a start removes references without answers, of tasks that exist and that do not', async (t) => {
  const { store, tasks, record, sealer, clock, access, errors } = folderTasks(t);
  const [task, deleted] = [await putOf(tasks, 'w', 'a'), await putOf(tasks, 'w', 'b')];
  await record(task, 'one', 'two');
  await record(deleted, 'one', 'two');
  await tasks.stop();
  // As a server leaves them that is stopped while it removes a task: an earlier version removed answers first.
  const answers = store.table('task_answers');
  await store.write([
    ...[...answers.keys(deleted.id)].map((key) => answers.write(key, null)),
    answers.write([task.id, 0], null),
    store.table('tasks').write(['w', 'b'], null),
    store.table('task_versions').removal([deleted.id, 0], [deleted.id, 2]),
    store.table('data_keys').write([deleted.id], null),
  ]);
  const problems = () => {
    const found: string[] = [];
    verifyTasks(store, sealer, (problem) => found.push(problem));
    return found;
  };
  t.match(problems(), [
    /^The task a of w: it has 1 answers, and references to 2\.$/,
    new RegExp(`^task_refs ${deleted.id}: references of a deleted task without their answers\\.`),
  ]);
  const retention = new FolderRetention({
    store,
    access,
    clock,
    bounds: { answersOfTask: 1, maxAnswers: () => 1, retentionDays: () => 30 },
    onRemoved() {},
    afterOthers: (work) => work(),
    onError: (error) => errors.push(error),
  });
  retention.start();
  await until(() => [...store.table('task_refs').keys()].length === 1);
  await retention.stop();
  t.strictSame(problems(), []);
  t.strictSame(errors, []);
});

test('answers of a deleted task go together with their references', async (t) => {
  const world = folderTasks(t);
  const { store, tasks, record } = world;
  const task = await putOf(tasks, 'w', 'a');
  await record(task, ...Array.from({ length: 200 }, (_, at) => `req_${at}`));
  const counts = () => [
    store.table('task_answers').count([task.id]),
    store.table('task_refs').count([task.id]),
  ];
  await tasks.remove(task);
  // Stopped between two steps.
  await until(() => (counts()[0] as number) < 200);
  await tasks.stop();
  const [answers, refs] = counts() as [number, number];
  t.equal(answers, refs);
});

test('a task whose data key is damaged can be removed, and blocks no other one', async (t) => {
  const world = folderTasks(t);
  const { store, tasks, record, damage, system, errors } = world;
  const all: Task[] = [];
  for (const name of ['a', 'b', 'c']) all.push(await putOf(tasks, 'w', name));
  for (const task of all) await record(task, 'one');
  const [one, two, three] = all as [Task, Task, Task];
  await damage('data_keys', two.id);
  t.strictSame(
    (await tasks.list('w')).map(({ name }) => name),
    ['a', 'c'],
  );
  t.match(errors, [{ name: 'StoreError' }], 'it is reported');
  system.pass(31 * DAY_MS);
  await nextRun(world);
  for (const { id } of [one, three]) t.equal(store.table('task_answers').count([id]), 0);
  t.equal(await tasks.remove(two), true);
  await until(() => store.table('task_refs').count([two.id]) === 0);
  t.strictSame(await tasks.find(two), undefined);
  t.equal((await putOf(tasks, 'w', 'b')).version, 1);
  t.equal(errors.length, 1);
});
