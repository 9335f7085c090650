// A promotion that is stored, and cannot be shown.
import { test } from 'tap';
import type { Caller } from '../../src/access/index.js';
import { ApiError } from '../../src/api/index.js';
import type { Engines } from '../../src/server/engines.js';
import { TaskService } from '../../src/server/task-service.js';
import type { Storage } from '../../src/storage/index.js';
import type { ExpectedShadow, Task } from '../../src/tasks/index.js';
import { Metrics } from '../../src/telemetry/index.js';
import { fakeClock } from '../support/fake-clock.js';
import { SHADOWED } from '../support/shadow-world.js';

const BODY = { body: Buffer.alloc(0), encoding: 'identity' } as const;
const CALLER = { key: { id: 'k' }, workspace: { id: 'w', models: null } } as unknown as Caller;
const PROMOTED: Task = { ...SHADOWED, version: 2, model: 'n-1', shadow: null, promotedFrom: 1 };

/** A promotion after which every read fails with `error`. */
function promote(expected: ExpectedShadow, error: unknown) {
  const set = {
    use: <Result>(work: () => Promise<Result>) => work(),
    readPromotion: async () => ({ ok: true, expected }),
  };
  const clock = fakeClock();
  const storage = {
    clock,
    access: {},
    tasks: {
      find: async () => SHADOWED,
      promote: async () => PROMOTED,
      questions: () => Promise.reject(error),
    },
  };
  const log = { error: () => {}, warn: () => {}, info: () => {} };
  const tasks = new TaskService(
    { current: set } as unknown as Engines,
    storage as unknown as Storage,
    new Metrics(),
    log,
    clock,
    () => 0,
  );
  const parts = { requireLoaded: () => {}, decide: () => Promise.reject(new Error('nothing is asked')) };
  return tasks.appOf(CALLER, parts).promote('a', BODY, new AbortController().signal);
}

test('a promotion is not answered with an error after which a repetition is refused', async (t) => {
  const away = new ApiError('overloaded', 'The database is away.', { retryAfterSeconds: 1 });
  await t.rejects(promote({ version: null, build: null }, away), {
    type: 'outcome_unknown',
    message: /^The shadow build was promoted: version 2 is in use\./,
    headers: { retryAfterSeconds: 1, final: true },
  } as never);
  await t.rejects(promote({ version: 1, build: null }, away), away, 'the same call again succeeds');
  const gone = new ApiError('task_not_found', 'The workspace has no such task.');
  await t.rejects(promote({ version: null, build: null }, gone), gone);
});
