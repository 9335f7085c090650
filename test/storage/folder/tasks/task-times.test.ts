// The times of answers and labels in a data folder, when the calendar jumps.
import { join } from 'node:path';
import { test } from 'tap';
import { DAY_MS, JUMP_LASTS_MS } from '../../../../src/base/index.js';
import { loadSettings } from '../../../../src/settings/index.js';
import { openFolder } from '../../../../src/storage/folder/folder-storage.js';
import { openStore } from '../../../../src/storage/folder/index.js';
import { answerRef } from '../../../../src/tasks/index.js';
import { putOf, TASK_BOUNDS } from '../../../support/batch/batch-tasks.js';
import { fakeClock } from '../../../support/fake-clock.js';
import { dataFolder, testDependencies } from '../../../support/server.js';
import { answerOf, folderTasks, labelOf } from '../../../support/store/folder-tasks.js';

for (const ms of [40 * DAY_MS, -40 * DAY_MS]) {
  test(`answers and labels keep their age when the calendar jumps by ${ms / DAY_MS} days`, async (t) => {
    const { store, sealer, system, clock, tasks, access, record, moved } = folderTasks(t);
    const task = await putOf(tasks, 'w', 'a');
    const dataKey = sealer.dataKey(task.id) as Buffer;
    const begun = clock.now();
    // Of an earlier process.
    const earlier = begun - 1;
    const refOf = (reference: string) => answerRef(dataKey, reference);
    const row = { ref: refOf('earlier'), at: earlier, version: 1, build: 'm-1', sealed: 'eA==' };
    await store.write([
      store.table('task_answers').write([task.id, 0], row),
      store.table('task_refs').write([task.id, row.ref], 0),
      store.table('task_labels').write([task.id, row.ref], { ...row, expected: 'eA==' }),
    ]);
    const many = Array.from({ length: 130 }, (_, at) => `many_${at}`);
    await record(task, 'on-disk', ...many);
    await tasks.label(task, [labelOf('on-disk')]);
    // On its way to the disk when the calendar jumps.
    tasks.record(task, answerOf('waiting'));
    const jumpedAt = clock.now();
    system.set(system.now() + ms);
    clock.now();
    system.pass(JUMP_LASTS_MS);
    // The call that finds the jump has the new time, as what follows.
    tasks.record(task, answerOf('found'));
    const found = clock.now();
    t.equal(found, jumpedAt + ms + JUMP_LASTS_MS);
    tasks.record(task, answerOf('later'));
    const labelled = tasks.label(task, [labelOf('waiting')]);
    await moved();
    await labelled;
    await access.flush();
    const times = (name: 'task_answers' | 'task_labels') =>
      Object.fromEntries([...store.table(name).entries(task.id)].map(({ value }) => [value.ref, value.at]));
    const named = (expected: Record<string, number>) =>
      Object.fromEntries(Object.entries(expected).map(([reference, at]) => [refOf(reference), at]));
    t.strictSame(
      times('task_answers'),
      named({
        earlier,
        'on-disk': begun + ms,
        ...Object.fromEntries(many.map((reference) => [reference, begun + ms])),
        waiting: jumpedAt + ms,
        found,
        later: found,
      }),
    );
    t.strictSame(times('task_labels'), named({ earlier, 'on-disk': begun + ms, waiting: found }));
  });
}

test('a label that was waiting when the calendar jumped moves, and an answer that is gone stays gone', async (t) => {
  const bounds = { answersOfTask: 2, maxAnswers: () => 100, retentionDays: () => 30 };
  const { store, sealer, system, clock, tasks, access, record, moved } = folderTasks(t, bounds);
  const task = await putOf(tasks, 'w', 'a');
  await record(task, 'one', 'two');
  const before = clock.now();
  const labelled = tasks.label(task, [labelOf('two')]);
  system.set(system.now() + DAY_MS);
  clock.now();
  system.pass(JUMP_LASTS_MS);
  clock.now();
  // The first one leaves the ring while the times move.
  tasks.record(task, answerOf('three'));
  t.match(await labelled, { stored: true });
  await moved();
  await access.flush();
  const ref = answerRef(sealer.dataKey(task.id) as Buffer, 'two');
  t.equal(store.table('task_labels').get(task.id, ref)?.at, before + DAY_MS);
  t.equal(store.table('task_answers').count([task.id]), 2);
  t.equal(store.table('task_refs').count([task.id]), 2);
});

test('the storage of a server moves the times with its calendar', async (t) => {
  const data = join(dataFolder(t), 'data');
  const clock = fakeClock(Date.parse('2026-05-10'));
  const { dependencies } = testDependencies();
  const settings = loadSettings({ DECIDER_DATA: data }, undefined);
  const storage = await openFolder(settings, { ...dependencies, clock });
  storage.tasks.start(TASK_BOUNDS);
  const task = await putOf(storage.tasks, 'w', 'a');
  const before = storage.clock.now();
  storage.tasks.record(task, answerOf('one'));
  await storage.tasks.label(task, [labelOf('one')]);
  clock.set(clock.now() + DAY_MS);
  storage.clock.now();
  clock.pass(JUMP_LASTS_MS);
  storage.clock.now();
  await storage.close();
  const store = openStore(data);
  t.teardown(() => store.close());
  for (const name of ['task_answers', 'task_labels'] as const)
    t.strictSame(
      [...store.table(name).entries()].map(({ value }) => value.at),
      [before + DAY_MS],
      name,
    );
});
