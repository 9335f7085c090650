import { type Test, test } from 'tap';
import { BYTES_PER_MINUTE_MAX, REQUESTS_PER_MINUTE_MAX } from '../../src/access/workspaces.js';
import { systemClock } from '../../src/base/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { changeWorkspace } from '../support/access/folder-changes.js';
import { startForCallers } from '../support/callers.js';
import { ChangingModels } from '../support/changing-models.js';
import { png, RGB } from '../support/images/png.js';
import { operatorFetch, operatorSettings } from '../support/operator.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const REQUESTS = scaled({ short: 40, long: 250 });
const AT_ONCE = 8;
const CACHED = { DECIDER_ENGINE_EXACT: 'true', DECIDER_ENGINE_ANSWER_CACHE_MB: '1' };
const UNCACHED = { ...CACHED, DECIDER_ENGINE_ANSWER_CACHE_MB: '0' };
const BODY = {
  state: 'The parcel is late.',
  questions: { q: { type: 'noul' }, c: { type: 'choice', criteria: ['a', 'b'] } },
};

type Server = Awaited<ReturnType<typeof startTestServer>>;

const isHit = ({ headers }: Response) => / cache;desc=hit$/.test(headers.get('server-timing') ?? '');

/** Requests of which a share repeats an earlier one. */
function repeating(next: Random, count: number, share: number): string[] {
  const words = 'the parcel was lost and nobody answers my mail about a refund'.split(' ');
  const text = (length: number) => Array.from({ length }, () => next.pick(words)).join(' ');
  const bodies: string[] = [];
  while (bodies.length < count) {
    const repeats = bodies.length > 0 && next.number() < share;
    const body = {
      state: `${bodies.length} ${text(1 + next.integer(30))}`,
      questions: { q: { type: 'choice', instructions: text(4), criteria: ['a', 'b', 'c'] } },
    };
    bodies.push(repeats ? next.pick(bodies) : JSON.stringify(body));
  }
  return bodies;
}

/** A server with a caller that no limit per minute stops. */
async function start(t: Test, environment: Record<string, string>, models: string) {
  const data = dataFolder(t);
  const server = await startTestServer(t, { ...environment, DECIDER_DATA: data }, models);
  const store = openStore(data);
  t.teardown(() => store.close());
  changeWorkspace(store, systemClock, 'default', {
    requestsPerMinute: REQUESTS_PER_MINUTE_MAX,
    bytesPerMinute: BYTES_PER_MINUTE_MAX,
  });
  return server;
}

/** The responses in the order of the requests, and how many were answered from the cache. */
async function answersOf(server: Server, bodies: readonly string[]) {
  const texts = new Array<string>(bodies.length);
  let [at, hits] = [0, 0];
  const client = async () => {
    while (at < bodies.length) {
      const own = at;
      at += 1;
      const response = await server.decide(bodies[own]);
      if (isHit(response)) hits += 1;
      texts[own] = await response.text();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return { texts, hits };
}

/** What the key was charged in all. Not the rows: a day that ends meanwhile ends at another request of each server. */
async function totalOf({ url, headers }: Server) {
  const { total } = (await (await fetch(`${url}/v1/usage`, { headers })).json()) as {
    total: { requests: number; input_tokens: number; amount: number };
  };
  return total;
}

test('at 0, 50 and 90 % of repeated requests, responses and charges are those of a server without the cache', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const models = modelsFolder(t.testdir(), { type: 'f16' });
  const cached = await start(t, { ...CACHED, DECIDER_ENGINE_CONTEXTS: '2' }, models);
  const uncached = await start(t, UNCACHED, models);
  for (const share of [0, 0.5, 0.9]) {
    const bodies = repeating(next, REQUESTS, share);
    const expected = await answersOf(uncached, bodies);
    const found = await answersOf(cached, bodies);
    t.strictSame(found.texts, expected.texts);
    t.equal(expected.hits, 0);
    t.equal(found.hits, REQUESTS - new Set(bodies).size, `${share}: each is computed once`);
  }
  const total = await totalOf(cached);
  t.equal(total.requests, 3 * REQUESTS);
  t.strictSame(total, await totalOf(uncached));
});

test('unrounded probabilities of a hit are those of the computed answer', async (t) => {
  const { url, headers } = await startTestServer(t, CACHED);
  const own = { ...headers, 'service-raw-probabilities': 'true' };
  const ask = () => fetch(`${url}/v1/decide`, { method: 'POST', headers: own, body: JSON.stringify(BODY) });
  const computed = await ask();
  const found = await ask();
  t.strictSame([isHit(computed), isHit(found)], [false, true]);
  t.match(found.headers.get('server-timing'), /queue;dur=0\.00, engine;dur=0\.00, cache;desc=hit$/);
  t.equal(await found.text(), await computed.text());
});

test('requests with images: equal ones are a hit, and another image, place or budget is computed', async (t) => {
  const models = modelsFolder(t.testdir(), {}, {}, 'gemma4v');
  const [cached, uncached] = [
    await startTestServer(t, CACHED, models),
    await startTestServer(t, UNCACHED, models),
  ];
  const image = (pixel: [number, number, number]) => ({
    type: 'image',
    format: 'png',
    data_base64: png({ width: 320, height: 280, samples: { ...RGB, pixel } }).toString('base64'),
  });
  const [red, blue] = [image([255, 0, 0]), image([0, 0, 255])];
  const questions = { q: { type: 'choice', criteria: ['a', 'b', 'c'] } };
  const bodies = [
    { state: 'one two', assets: { one: red, two: blue }, questions },
    { state: 'one two', assets: { one: blue, two: red }, questions },
    { state: 'two one', assets: { one: red, two: blue }, questions },
    { state: 'one two', assets: { one: red, two: red }, questions },
    { state: 'one two', assets: { one: red, two: blue }, image_budget: 70, questions },
  ];
  for (const body of bodies) {
    const expected = await (await uncached.decide(body)).text();
    for (const isRepeated of [false, true]) {
      const found = await cached.decide(body);
      t.equal(isHit(found), isRepeated);
      t.equal(await found.text(), expected);
      t.equal(found.status, 200, expected);
    }
  }
});

test('workspaces share no answers; keys of one workspace do', async (t) => {
  const { server, caller } = await startForCallers(t, CACHED);
  const ask = (token: string) =>
    fetch(`${server.url}/v1/decide`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(BODY),
    });
  const [first, second] = [caller('first'), caller('second')];
  const responses = [];
  for (const { token } of [first, first, second, second]) responses.push(await ask(token));
  t.strictSame(responses.map(isHit), [false, true, false, true]);
  const texts = await Promise.all(responses.map((response) => response.text()));
  t.equal(new Set(texts).size, 1);
});

test('in normal mode nothing is answered from the cache', async (t) => {
  const server = await startTestServer(t, { ...CACHED, DECIDER_ENGINE_EXACT: 'false' });
  for (let round = 0; round < 2; round++) t.notOk(isHit(await server.decide(BODY)));
});

test('after a reload, temperatures, builds and the size of the cache are those of now', async (t) => {
  const models = new ChangingModels(t.testdir());
  const [one, two] = [models.model(1), models.model(2)];
  const warm = { choice: 2.5, noul: 1.7 };
  const stages = [
    [{ date: '20260101', ...one }],
    [{ date: '20260101', ...one, temperatures: warm }],
    [{ date: '20260102', ...two, temperatures: warm }],
    [{ date: '20260101', ...one }],
  ];
  const expected: string[] = [];
  for (const builds of stages) {
    models.serve(builds);
    const fresh = await startTestServer(t, UNCACHED, models.path);
    expected.push(await (await fresh.decide(BODY)).text());
    await fresh.stop();
  }
  t.equal(new Set(expected).size, 3, 'the answers differ');

  models.serve(stages[0] ?? []);
  const environment = { ...CACHED, ...(await operatorSettings()) };
  const server = await startTestServer(t, environment, models.path);
  const hits: boolean[][] = [];
  for (const [stage, builds] of stages.entries()) {
    models.serve(builds);
    if (stage > 0) await server.reload(server.settings);
    const responses = [await server.decide(BODY), await server.decide(BODY)];
    for (const response of responses) t.equal(await response.text(), expected[stage], `stage ${stage}`);
    hits.push(responses.map(isHit));
    await until(() => server.engines.draining.length === 0);
  }
  t.strictSame(hits, [
    [false, true],
    // Logits are stored, not probabilities.
    [true, true],
    [false, true],
    [false, true],
  ]);

  const { engine } = server.settings;
  const bytes = async () =>
    /decider_answer_cache_bytes\{model="tiny-20260101"\} (\d+)/.exec(
      await (await operatorFetch(server.operatorUrl as string, '/metrics')).text(),
    )?.[1];
  t.not(await bytes(), '0');
  const sized = (answer_cache_mb: number) => ({ ...server.settings, engine: { ...engine, answer_cache_mb } });
  t.strictSame(await server.reload(sized(0)), ['engine.answer_cache_mb']);
  t.equal(await bytes(), '0');
  t.notOk(isHit(await server.decide(BODY)));
  await server.reload(sized(1));
  t.strictSame([isHit(await server.decide(BODY)), isHit(await server.decide(BODY))], [false, true]);
});

test('equal lines of a batch are computed once, and cost and answer what live requests do', async (t) => {
  const environment = { ...CACHED, ...(await operatorSettings()) };
  const server = await startTestServer(t, environment, modelsFolder(t.testdir()));
  const live = await server.ask(BODY);
  const lines = Array.from({ length: 12 }, (_, at) => ({
    custom_id: `l${at}`,
    model: 'tiny',
    ...BODY,
    state: at % 2 === 0 ? BODY.state : 'Another one.',
  }));
  const call = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${server.url}/v1/batches${path}`, { headers: server.headers, ...init })).text();
  const body = lines.map((line) => JSON.stringify(line)).join('\n');
  const { id } = JSON.parse(await call('', { method: 'POST', body }));
  await until(async () => JSON.parse(await call(`/${id}`)).results_available);
  const results = (await call(`/${id}/results`)).trim().split('\n');
  const parsed = results.map((result) => JSON.parse(result));
  for (const [at, { response }] of parsed.entries()) {
    t.strictSame(response, at % 2 === 0 ? live : parsed[1].response);
  }
  const text = await (await operatorFetch(server.operatorUrl as string, '/metrics')).text();
  t.match(text, 'decider_shared_answers_total{model="tiny-20260101",outcome="miss"} 2');
  t.match(text, 'decider_shared_answers_total{model="tiny-20260101",outcome="hit"} 11');
  t.match(text, `decider_answers_total{model="tiny-20260101"} ${13 * 2}`);
});
