import type { Worker } from 'node:worker_threads';
import { test } from 'tap';
import { operatorFetch, operatorSettings } from '../support/operator.js';
import { startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** A slow disk can add another reason. */
const NOT_WORKING = 'No engine thread of tiny-20260101 works.';
const BODY = { state: 'x', questions: { q: { type: 'noul' } } };

test('while the engine threads of a model do not start, health and requests are 503, and 200 again afterwards', async (t) => {
  const { url, operatorUrl, engines, decide, lines } = await startTestServer(t, await operatorSettings());
  const health = async () => {
    const response = await fetch(`${url}/health`);
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      json: await response.json(),
    };
  };
  t.strictSame(await health(), { status: 200, retryAfter: null, json: { status: 'ok' } });
  // Ends each thread of the engine before it is ready.
  const end = (worker: Worker) => {
    if (engines.workers.includes(worker)) void worker.terminate();
  };
  process.on('worker', end);
  t.teardown(() => process.off('worker', end));
  engines.workers.forEach(end);
  // The engine notices when a wave comes.
  const first = await decide(BODY);
  t.equal(first.status, 503);
  t.match(await health(), { status: 503, retryAfter: /^[1-9]$/, json: { type: 'model_unavailable' } });
  t.equal((await decide(BODY)).status, 503);
  const ready = await operatorFetch(operatorUrl as string, '/ready');
  t.equal(ready.status, 503);
  const { reasons } = (await ready.json()) as { reasons: string[] };
  t.ok(reasons.includes(NOT_WORKING), reasons.join(' '));
  process.off('worker', end);
  await until(async () => (await health()).status === 200);
  t.equal((await decide(BODY)).status, 200);
  t.ok(lines.some((line) => line.includes('an engine thread has failed')));
});
