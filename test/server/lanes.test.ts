import { test } from 'tap';
import { operatorFetch, operatorSettings } from '../support/operator.js';
import { startTestServer } from '../support/server.js';

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
  let breaks = true;
  const breaking = (async () => {
    while (breaks) {
      await Promise.all(engines.workers.map((worker) => worker.terminate()));
      await new Promise(setImmediate);
    }
  })();
  // The engine notices when a wave comes.
  const first = await decide(BODY);
  t.equal(first.status, 503);
  let seen = await health();
  while (seen.status === 200) seen = await health();
  t.match(seen, { status: 503, retryAfter: /^[1-9]$/, json: { type: 'model_unavailable' } });
  t.equal((await decide(BODY)).status, 503);
  let ready = await operatorFetch(operatorUrl as string, '/ready');
  let { reasons } = (await ready.json()) as { reasons: string[] };
  while (!reasons.includes(NOT_WORKING)) {
    // A thread has started in time; the next wave finds it gone.
    await decide(BODY);
    ready = await operatorFetch(operatorUrl as string, '/ready');
    ({ reasons } = (await ready.json()) as { reasons: string[] });
  }
  t.equal(ready.status, 503);
  breaks = false;
  await breaking;
  while (seen.status !== 200) seen = await health();
  t.equal((await decide(BODY)).status, 200);
  t.ok(lines.some((line) => line.includes('an engine thread has failed')));
});
