// Lines that name a task, while their batch runs.
import { type Test, test } from 'tap';
import { openIds } from '../../../src/batch/index.js';
import { AwaitedTasks } from '../../../src/batch/runner/awaited-tasks.js';
import type { AwaitedLine } from '../../../src/batch/runner/funds.js';
import { openAnswer, type Task } from '../../../src/tasks/index.js';
import { changeWorkspace } from '../../support/access/folder-changes.js';
import { putOf, TASK_BOUNDS, taskLine, YES_OR_NO } from '../../support/batch/batch-tasks.js';
import { tokensOf } from '../../support/batch/test-engine.js';
import { line, PRICE, type ResultLine, turns, until, World } from '../../support/batch/world.js';
import { monitorOf } from '../../support/store/fitted-task.js';

const OTHER = '{"other":{"type":"noul"}}';

/** A world that keeps answers, and a task. */
async function start(t: Test) {
  const world = await World.start(t);
  world.taskBounds = TASK_BOUNDS;
  await world.restart();
  const task = await putOf(world.tasks, 'w', 't');
  return { world, task, key: world.key() };
}

/** The references of the answers of a task that are on the disk. */
async function kept(world: World, task: Task): Promise<string[]> {
  await world.access.flush();
  const dataKey = world.sealer.dataKey(task.id);
  if (dataKey === undefined) return [];
  return [...world.store.table('task_answers').entries(task.id)].map(
    ({ value }) => openAnswer(dataKey, task, value).reference,
  );
}

const outcomes = (results: readonly ResultLine[]) =>
  results.map(({ status, error, response }) =>
    status === 200 ? (response as { task?: { version: number } }).task?.version : error?.type,
  );
const many = (count: number) => Array.from({ length: count }, (_, at) => taskLine(`a${at}`));

test('the answers of lines are kept with their results, and labelled by their ids', async (t) => {
  const { world, task, key } = await start(t);
  const id = await world.submit(key, [...many(3), line('own')].join('\n'));
  await world.finished(key, id);
  const results = await world.collect(key, id);
  t.strictSame(outcomes(results), [1, 1, 1, undefined]);
  t.match(results[0], { response: { task: { name: 't', version: 1 }, answers: { q: { accept: null } } } });
  t.strictSame(await kept(world, task), [`${id}/a0`, `${id}/a1`, `${id}/a2`]);
  const label = (reference: string) => ({ line: 1, reference, expected: { q: 0 }, answer: null });
  t.strictSame(await world.tasks.label(task, [label(`${id}/a1`)]), { stored: true, labels: 1 });
  t.match(await world.tasks.label(task, [label(`${id}/own`)]), { stored: false });
});

test('accept follows the fit in force when the line runs', async (t) => {
  const { world, task, key } = await start(t);
  world.engine.answersAtOnce = false;
  world.engine.room = 1;
  const id = await world.submit(key, many(3).join('\n'));
  await until(() => world.engine.waiting.size > 0);
  const acceptances = [{ temperature: 1, threshold: 0.5 }];
  const fit = {
    version: 1,
    build: 'm-20260101',
    calibration: 'c',
    at: 1,
    targetError: 0.05,
    confidence: 0.95,
    acceptances,
  };
  t.equal(await world.tasks.putFit(task, fit, '{}', monitorOf(fit)), true);
  world.engine.answersAtOnce = true;
  world.engine.answerAll();
  await world.finished(key, id);
  const accepts = (await world.collect(key, id)).map(
    ({ response }) => (response as { answers: { q: { accept: boolean } } }).answers.q.accept,
  );
  t.equal(accepts[0], null, 'it ran before');
  t.equal(accepts[2], true);
});

test('a change of the task does not change the lines of a batch', async (t) => {
  const { world, task, key } = await start(t);
  world.engine.answersAtOnce = false;
  world.engine.room = 1;
  const id = await world.submit(key, many(4).join('\n'));
  await until(() => world.engine.waiting.size > 0);
  t.equal((await putOf(world.tasks, 'w', 't', OTHER, 'm2')).version, 2);
  world.engine.answersAtOnce = true;
  world.engine.answerAll();
  await world.finished(key, id);
  const results = await world.collect(key, id);
  t.strictSame(outcomes(results), [1, 1, 1, 1]);
  t.ok(results.every(({ model }) => model === 'm-20260101'));
  t.equal((await kept(world, task)).length, 4);
  const next = await world.submit(key, taskLine('next'));
  await world.finished(key, next);
  t.match(await world.collect(key, next), [{ model: 'm2-20260101', response: { task: { version: 2 } } }]);
});

for (const again of [false, true]) {
  test(`the lines of a task that was deleted${again ? ' and made again' : ''} fail`, async (t) => {
    const { world, task, key } = await start(t);
    world.engine.answersAtOnce = false;
    world.engine.room = 1;
    const id = await world.submit(key, [...many(300), line('own')].join('\n'));
    await until(() => world.engine.waiting.size > 0);
    t.equal(await world.tasks.remove({ workspace: 'w', name: 't' }), true);
    const next = again ? await putOf(world.tasks, 'w', 't') : task;
    world.engine.answersAtOnce = true;
    world.engine.answerAll();
    t.match(await world.finished(key, id), { status: 'done' });
    const results = await world.collect(key, id);
    const failed = results.filter(({ status }) => status !== 200);
    t.ok(failed.length > 290);
    for (const each of failed) t.match(each, { status: null, model: 'm', error: { type: 'task_not_found' } });
    t.equal(results.at(-1)?.status, 200, 'a line with questions of its own');
    t.strictSame(await kept(world, next), [], 'no answer of a deleted task');
    t.strictSame(await world.problems(), []);
    t.strictSame(world.troubles, []);
  });
}

test('a batch whose task is gone before its first line fails', async (t) => {
  const { world, key } = await start(t);
  const other = await putOf(world.tasks, 'w', 'gone');
  world.engine.room = 0;
  const id = await world.submit(key, taskLine('a', 'gone'));
  await world.tasks.remove({ workspace: 'w', name: other.name });
  world.engine.room = 1;
  await world.pass(2);
  t.match(await world.finished(key, id), { status: 'failed', reason: 'no_line_answered', started_at: null });
});

test('a line that waits for credit fails when its task is deleted, and the other lines of the key go on', async (t) => {
  const { world } = await start(t);
  const long = 'L'.repeat(60);
  const cost = (customId: string) => BigInt(tokensOf(customId)) * PRICE;
  // More of them than are asked for at a time.
  const keys = Array.from({ length: 10 }, (_, at) => world.key(null, world.workspace(`v${at}`, cost('own'))));
  const sent = [];
  for (const [at, key] of keys.entries()) {
    const task = await putOf(world.tasks, `v${at}`, 't');
    sent.push({ key, id: await world.submit(key, taskLine(long)), task });
  }
  await world.pass(5);
  const later = new Map<string, string>();
  for (const { key } of sent) later.set(key.id, await world.submit(key, line('own')));
  await world.pass(2);
  t.strictSame(world.engine.started, []);
  const [kept, ...deleted] = sent;
  for (const { task } of deleted) await world.tasks.remove(task);
  await world.pass(5);
  for (const { key, id } of deleted) {
    t.match(await world.collect(key, id), [{ status: null, error: { type: 'task_not_found' } }]);
    t.match(world.show(key, later.get(key.id) as string), { status: 'done' });
  }
  const { key, id } = kept as (typeof sent)[number];
  t.match(world.show(key, id), { counts: { failed: 0, pending: 1 } });
  t.match(world.show(key, later.get(key.id) as string), { status: 'queued' });
  t.strictSame(world.troubles, []);
});

test('a task that cannot be read does not keep the tasks of other lines from being asked for', async (t) => {
  const lineOf = (workspace: string) =>
    ({ open: { batch: { workspace } }, task: { name: 't' } }) as unknown as AwaitedLine;
  const deleted: string[] = [];
  const awaited = new AwaitedTasks({
    tasks: {
      ask: async (workspace) => {
        if (workspace === 'damaged') throw new Error('the task is damaged');
        return null;
      },
    },
    funds: { nextOfTasks: () => ['damaged', 'v0', 'v1'].map(lineOf) },
    onDeleted: ({ open }) => void deleted.push(open.batch.workspace),
  });
  awaited.check();
  await turns();
  t.strictSame(deleted.splice(0), ['v0', 'v1']);
  awaited.check();
  await turns();
  t.strictSame(deleted, ['v0', 'v1'], 'the next check asks again');
});

test('another workspace has no such task', async (t) => {
  const { world } = await start(t);
  const stranger = world.key(null, world.workspace('v', 10n ** 12n));
  const refusal = await world.submit(stranger, taskLine('a')).catch((error) => error);
  t.match(refusal, { type: 'invalid_batch', details: { errors: [{ line: 1, type: 'task_not_found' }] } });
});

test('a line that a crash repeats keeps one answer, that of its result', async (t) => {
  const { world, task, key } = await start(t);
  world.engine.answersAtOnce = false;
  const id = await world.submit(key, many(6).join('\n'));
  await until(() => world.engine.waiting.size === 6);
  for (const name of ['a0', 'a1']) world.engine.answer(name);
  await world.pass(0);
  t.strictSame(await kept(world, task), [`${id}/a0`, `${id}/a1`]);
  for (const name of ['a2', 'a3']) world.engine.answer(name);
  await world.pass(0);
  // Nothing of the last two is written.
  await world.crash();
  await world.finished(key, id);
  t.strictSame(outcomes(await world.collect(key, id)), [1, 1, 1, 1, 1, 1]);
  t.strictSame(
    (await kept(world, task)).sort(),
    many(6).map((_, at) => `${id}/a${at}`),
  );
  t.strictSame(await world.problems(), []);
});

test('a temporary fault is tried again, with the task of that time', async (t) => {
  const { world, task, key } = await start(t);
  world.engine.faults.set('a0', [new Error('once')]);
  const id = await world.submit(key, many(2).join('\n'));
  await until(() => world.engine.started.length === 2);
  await world.pass(3);
  await world.finished(key, id);
  t.strictSame(outcomes(await world.collect(key, id)), [1, 1]);
  t.strictSame((await kept(world, task)).sort(), [`${id}/a0`, `${id}/a1`]);
});

test('chunks of an earlier version, without tasks, are read and run', async (t) => {
  const { world, key } = await start(t);
  world.engine.room = 0;
  const id = await world.submit(key, [line('a'), line('b')].join('\n'));
  const dataKey = world.sealer.dataKey(id) as Buffer;
  const ids = world.store.table('batch_ids').get(id, 0) as Buffer;
  t.strictSame(
    openIds({ id, dataKey }, 0, ids),
    {
      first: 0,
      ids: [
        ['a', 'm'],
        ['b', 'm'],
      ],
    },
    'as that version has written them',
  );
  world.nextRoom = 8;
  await world.restart();
  await world.finished(key, id);
  t.strictSame(outcomes(await world.collect(key, id)), [undefined, undefined]);
});

test('a line whose model the workspace may no longer use fails as others do', async (t) => {
  const { world, key } = await start(t);
  await putOf(world.tasks, 'w', 'big', YES_OR_NO, 'm9');
  world.engine.room = 0;
  const id = await world.submit(key, taskLine('a', 'big'));
  changeWorkspace(world.store, world.clock, 'w', { models: ['m'] });
  world.engine.room = 1;
  await world.pass(2);
  await world.finished(key, id);
  const [result] = await world.collect(key, id);
  t.match(result, { status: null, model: 'm9', error: { type: 'model_not_allowed' } });
});
