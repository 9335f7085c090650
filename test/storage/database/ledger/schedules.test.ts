import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { test } from 'tap';
import type { Wrong } from '../../../support/cluster/schedule-worker.js';
import { seedFromEnvironment } from '../../../support/random.js';
import { scaled } from '../../../support/scale.js';

const SCHEDULES = scaled({ short: 1_000, long: 5_000 }, 'SCHEDULES');
const THREADS = 2;
const WORKER = new URL('../../../support/cluster/schedule-worker.js', import.meta.url);

test(`${SCHEDULES} random schedules of requests and lines at every point of an exchange`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const count = Math.ceil(SCHEDULES / THREADS);
  const threads = Array.from({ length: THREADS }, async (_, at) => {
    const workerData = { first: seed + at * count, count };
    const [wrong] = await once(new Worker(WORKER, { workerData }), 'message');
    return wrong as Wrong | null;
  });
  for (const wrong of await Promise.all(threads)) {
    if (wrong === null) t.pass('each answer is that of the reference');
    else t.fail(`TEST_SEED=${wrong.seed}: ${wrong.what}`, { stack: wrong.stack, steps: wrong.steps });
  }
});
