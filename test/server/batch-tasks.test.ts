// The tasks that a batch file names.
import { type Test, test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { FILE_TASKS_MAX } from '../../src/server/batch-tasks.js';
import type { TaskStore } from '../../src/tasks/index.js';
import { batchTasks, putOf, YES_OR_NO } from '../support/batch/batch-tasks.js';
import { reason } from '../support/batch/world.js';
import { NEEDS_POSTGRES } from '../support/postgres.js';
import { TASK_STORES } from '../support/store/task-stores.js';

const OWNER = { key: 'k', workspace: 'w' };
const { signal } = new AbortController();

const openStore = (wanted: string, t: Test) =>
  (TASK_STORES.find(({ name }) => name === wanted) as (typeof TASK_STORES)[0]).open(t);

const sized = (bytes: number) => {
  const around = JSON.stringify({ q: { type: 'noul', instructions: '' } }).length;
  return JSON.stringify({ q: { type: 'noul', instructions: 'x'.repeat(bytes - around) } });
};

for (const { name, options, open } of TASK_STORES) {
  test(`${name}: the tasks of a workspace by name, in their version in use`, options, async (t) => {
    const { tasks } = await open(t);
    const served = batchTasks(tasks);
    await putOf(tasks, 'w', 'one');
    const one = await putOf(tasks, 'w', 'one', '{"other":{"type":"noul"}}', null);
    const two = await putOf(tasks, 'w', 'two');
    await putOf(tasks, 'v', 'foreign');
    const names = async (wanted: string[] | null) => {
      const found = await served.named(OWNER, wanted, signal);
      return found.map((each) => each.name).sort();
    };
    t.strictSame(await names(['two', 'foreign', 'none']), ['two']);
    t.strictSame(await names([]), []);
    t.strictSame(await names(null), ['one', 'two']);
    t.strictSame(await served.named(OWNER, ['one'], signal), [
      { id: one.id, name: 'one', version: 2, model: null, questions: '{"other":{"type":"noul"}}' },
    ]);
    await tasks.remove({ workspace: 'w', name: 'two' });
    t.strictSame(await names(['two']), []);
    t.equal(await served.ask('w', { id: two.id, name: 'two', version: 1 }), null, 'deleted');
    await putOf(tasks, 'w', 'two');
    t.equal(await served.ask('w', { id: two.id, name: 'two', version: 1 }), null, 'made again');
    const asked = await served.ask('w', { id: one.id, name: 'one', version: 1 });
    t.match(asked?.asked, { name: 'one', version: 1, questions: YES_OR_NO, fits: [] }, 'an earlier version');
    t.equal(asked?.task.version, 2);
  });
}

test('a copy of a task that is older than the batch does not end its lines', NEEDS_POSTGRES, async (t) => {
  const { tasks, other } = await openStore('database', t);
  const served = batchTasks(other as TaskStore);
  const place = { workspace: 'w', name: 'a' };
  const before = await putOf(tasks, 'w', 'a');
  t.equal((await other?.find(place))?.id, before.id);
  await tasks.remove(place);
  const task = await putOf(tasks, 'w', 'a');
  t.equal((await other?.find(place))?.id, before.id, 'a copy');
  const asked = await served.ask('w', { id: task.id, name: 'a', version: 1 });
  t.equal(asked?.task.id, task.id);
  t.equal(await served.ask('w', { id: before.id, name: 'a', version: 1 }), null);
});

test('contract 8: the questions of the tasks of a file are bounded together', async (t) => {
  const { tasks } = await openStore('data folder', t);
  const served = batchTasks(tasks);
  const count = LIMITS.batchTasksBytes / LIMITS.taskBytes;
  const names = Array.from({ length: count }, (_, at) => `t${at}`);
  for (const name of names) await putOf(tasks, 'w', name, sized(LIMITS.taskBytes));
  await putOf(tasks, 'w', 'more');
  t.equal((await served.named(OWNER, names, signal)).length, count, 'at the limit');
  const refusal = (wanted: readonly string[] | null) => reason(served.named(OWNER, wanted, signal));
  t.match(await refusal([...names, 'more']), { type: 'body_too_large' }, 'beyond it');
  t.match(await refusal(null), { type: 'body_too_large' });
});

test('the files of one key are read one after the other, and a disconnected client ends it', async (t) => {
  const { tasks } = await openStore('data folder', t);
  await putOf(tasks, 'w', 'one');
  let reading = 0;
  let most = 0;
  const counted = Object.assign(Object.create(tasks), {
    list: async (workspace: string) => {
      reading += 1;
      most = Math.max(most, reading);
      const found = await tasks.list(workspace);
      await new Promise((resolve) => setImmediate(resolve));
      reading -= 1;
      return found;
    },
  });
  const served = batchTasks(counted);
  await Promise.all(Array.from({ length: 5 }, () => served.named(OWNER, null, signal)));
  t.equal(most, FILE_TASKS_MAX.key);
  const gone = AbortSignal.abort(new Error('gone'));
  await t.rejects(served.named(OWNER, null, gone), /gone/);
});
