// The models may change while a task is read from a database.
import { test } from 'tap';
import type { Caller } from '../../src/access/index.js';
import { TaskService } from '../../src/server/task-service.js';
import { Metrics } from '../../src/telemetry/index.js';
import { fakeClock } from '../support/fake-clock.js';

const CALLER = { key: { id: 'key' }, workspace: { id: 'w', models: null } } as unknown as Caller;
const TASK = { id: 'task', workspace: 'w', name: 'a', version: 1, model: null, fits: [], shadow: null };

type Parts = ConstructorParameters<typeof TaskService>;

test('a task is asked of the model that the endpoint serves once the task is read', async (t) => {
  let served = 'before';
  const tasks = {
    find: async () => TASK,
    questions: async () => {
      served = 'after';
      return '{}';
    },
  };
  const clock = fakeClock();
  const log = { error: () => {}, warn: () => {}, info: () => {} };
  const storage = { tasks, clock, access: {} } as unknown as Parts[1];
  const service = new TaskService({} as Parts[0], storage, new Metrics(), log, clock, () => 0);
  const asked: (string | null)[] = [];
  const app = service.appOf(CALLER, {
    requireLoaded: () => {},
    decide: ({ model }) => {
      asked.push(model);
      return Promise.reject(new Error('nothing is computed'));
    },
  });
  const sent = {} as Parameters<typeof app.decide>[1];
  const deciding = app.decide('a', sent, () => served, 'req_a', new AbortController().signal);
  await t.rejects(deciding, { message: 'nothing is computed' });
  t.strictSame(asked, ['after']);
});
