import { test } from 'tap';
import type { Caller } from '../../src/access/index.js';
import { TaskService } from '../../src/server/task-service.js';
import { Metrics } from '../../src/telemetry/index.js';
import { fakeClock } from '../support/fake-clock.js';

const CALLER = { key: { id: 'key' }, workspace: { id: 'w', models: null } } as unknown as Caller;
const TASK = { id: 'task', workspace: 'w', name: 'a', version: 1, model: null, fits: [] };

type Parts = ConstructorParameters<typeof TaskService>;

/** The tasks of a caller, over a storage with one task. */
function open(find: () => Promise<typeof TASK>) {
  const counts = { read: 0, removed: 0 };
  const tasks = {
    find,
    questions: async () => {
      counts.read += 1;
      return '{}';
    },
    remove: async () => {
      counts.removed += 1;
      return true;
    },
  };
  const clock = fakeClock();
  const log = { error: () => {}, warn: () => {}, info: () => {} };
  const storage = { tasks, clock, access: {} } as unknown as Parts[1];
  const service = new TaskService({} as Parts[0], storage, new Metrics(), log, clock, () => 0);
  const decide = () => Promise.reject(new Error('nothing is asked'));
  const app = service.appOf(CALLER, { requireLoaded: () => {}, decide });
  /** It reads the questions, if they are not in memory. */
  const ask = async () => {
    const sent = {} as Parameters<typeof app.decide>[1];
    await app.decide('a', sent, () => null, 'req_a', new AbortController().signal).catch(() => {});
  };
  return { app, ask, counts };
}

test('the questions of a deleted task are not kept in memory', async (t) => {
  const { app, ask, counts } = open(async () => TASK);
  await ask();
  await ask();
  t.equal(counts.read, 1, 'from memory');
  t.match(await app.remove('a'), { deleted: true });
  await ask();
  t.equal(counts.read, 2);
});

test('a task that cannot be read can be deleted', async (t) => {
  const { app, counts } = open(() => Promise.reject(new Error('damaged')));
  t.match(await app.remove('a'), { deleted: true });
  t.equal(counts.removed, 1);
});
