// The rule of overload: what is accepted waits no longer than a full queue and the wave under way take, and what
// is not is told so at once, with the time the queue takes. Time is a fake clock's, so every number is exact.
import { test } from 'tap';
import type { ApiError } from '../../src/api/index.js';
import { UNWATCHED } from '../../src/engine/index.js';
import { BOUNDS } from '../support/engine.js';
import { fakeEngine, markedPlan } from '../support/fake-engine.js';
import { deferred, errorType, onBoth, serve } from '../support/http/serving.js';
import { pacedEngine, turn } from '../support/paced-engine.js';

const PLAN_TOKENS = 96;
const PLANS_PER_WAVE = 10;
const QUEUE = 20;
const OVERLOAD = 3;
const ARRIVALS = 600;
const plan = (mark: number) => markedPlan(mark, PLAN_TOKENS - 2);
const OPTIONS = { bounds: { ...BOUNDS, waveTokens: PLANS_PER_WAVE * PLAN_TOKENS }, queueMax: QUEUE };

/** Offers plans at three times the capacity; tells what became of them and when. */
async function overload(msPerToken: number) {
  const { engine, clock, computed } = pacedEngine(msPerToken, OPTIONS);
  const planMs = PLAN_TOKENS * msPerToken;
  const latencies: number[] = [];
  const refusals: Array<{ error: ApiError; afterMs: number }> = [];
  for (let arrival = 0; arrival < ARRIVALS; arrival += 1) {
    const since = clock.monotonic();
    engine.run(plan(arrival), { signal: new AbortController().signal }).then(
      () => latencies.push(clock.monotonic() - since),
      (error) => refusals.push({ error, afterMs: clock.monotonic() - since }),
    );
    await turn();
    clock.advance(planMs / OVERLOAD);
    await turn();
  }
  const offeredMs = clock.monotonic();
  const answeredMeanwhile = latencies.length;
  while (latencies.length + refusals.length < ARRIVALS) {
    clock.advance(planMs);
    await turn();
  }
  return { planMs, latencies, refusals, answeredMeanwhile, offeredMs, computed };
}

for (const [msPerToken, retryAfterSeconds, why] of [
  [8, 16, 'the queue’s 1,920 tokens at 8 ms each are 15.36 s'],
  [1, 2, '1.92 s'],
  [0.25, 1, 'never less than a second'],
  [64, 60, 'never more than a minute, though it is 122.88 s'],
] as const) {
  test(`at ${OVERLOAD} × the capacity, at ${msPerToken} ms a token`, async (t) => {
    const { planMs, latencies, refusals, answeredMeanwhile, offeredMs, computed } =
      await overload(msPerToken);
    const worst = Math.max(...latencies);
    t.ok(worst <= (QUEUE + PLANS_PER_WAVE) * planMs, `${worst} ms: the queue and the wave under way`);
    t.ok(worst >= QUEUE * planMs, 'the whole queue is used');
    t.ok(answeredMeanwhile >= offeredMs / planMs - PLANS_PER_WAVE, 'the engine is never idle');
    t.equal(computed.tokens, latencies.length * PLAN_TOKENS, 'nothing is computed for those refused');
    t.ok(refusals.length > ARRIVALS / 2);
    for (const { error, afterMs } of refusals) {
      t.match(error, { type: 'overloaded', status: 503, headers: { retryAfterSeconds } }, why);
      t.equal(afterMs, 0, 'at once');
    }
  });
}

test('half of the callers in a full queue disconnect: they are counted, cost nothing and free their places at once', async (t) => {
  const left: string[] = [];
  const events = { ...UNWATCHED, planCancelled: () => left.push('left') };
  const { engine, clock, computed } = pacedEngine(1, { ...OPTIONS, events });
  const stays = new AbortController();
  const leaves = new AbortController();
  const first = engine.run(plan(0), stays);
  const waiting = Array.from({ length: QUEUE }, (_, i) =>
    engine.run(plan(i + 1), i % 2 === 0 ? leaves : stays),
  );
  const settled = Promise.allSettled(waiting);
  leaves.abort(new Error('gone'));
  t.equal(left.length, QUEUE / 2);
  t.equal(engine.waiting('live'), QUEUE / 2);
  const next = Array.from({ length: QUEUE / 2 }, (_, i) => engine.run(plan(100 + i), stays));
  for (let wave = 0; wave < 1 + QUEUE / PLANS_PER_WAVE; wave += 1) {
    clock.advance(OPTIONS.bounds.waveTokens);
    await turn();
  }
  await Promise.all([first, ...next]);
  t.strictSame(
    (await settled).map(({ status }) => status),
    waiting.map((_, i) => (i % 2 === 0 ? 'rejected' : 'fulfilled')),
  );
  t.equal(computed.tokens, (1 + QUEUE) * PLAN_TOKENS);
});

const POST =
  'POST /v1/decide HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

onBoth(
  'over HTTP: one request waits, one disconnects, one is refused with 503 and Retry-After',
  async (t, transport) => {
    const left: string[] = [];
    const events = { ...UNWATCHED, planCancelled: () => left.push('left') };
    const { engine, thread } = fakeEngine({ queueMax: 1, events });
    let mark = 0;
    let arrived = deferred();
    const { client, ask, logged, access } = await serve(t, transport, async ({ signal }) => {
      mark += 1;
      const answer = engine.run(markedPlan(mark), { signal });
      arrived.resolve();
      const { logits } = await answer;
      return JSON.stringify(logits);
    });
    const send = async () => {
      arrived = deferred();
      const connection = await client();
      connection.send(POST);
      await arrived.promise;
      return connection;
    };
    const computing = await send();
    const leaving = await send();
    const refused = await ask(POST);
    t.equal(refused.status, 503);
    t.equal(errorType(refused), 'overloaded');
    t.equal(refused.headers.get('retry-after'), '1');
    leaving.destroy();
    await logged(2);
    t.strictSame(
      access.map(({ status }) => status),
      [503, 499],
    );
    t.strictSame(left, ['left']);
    thread.waves[0]?.resolve();
    t.equal((await computing.response()).status, 200);
    t.equal(thread.waves.length, 1, 'no wave was made for the one that left');
  },
);
