import { test } from 'tap';
import { changeWorkspace, DEFAULT_WORKSPACE } from '../../src/access/index.js';
import { openStore } from '../../src/store/index.js';
import { type Random, random, seedFromEnvironment } from '../helpers/random.js';
import { dataFolder, modelsFolder, startTestServer } from '../helpers/server.js';
import { until } from '../helpers/until.js';

/** `LINES=10000` for the long run. */
const LINES = Number(process.env.LINES ?? 300);
const LIVE_AT_ONCE = 8;
const WORDS = 'the parcel was lost and "nobody" answers\nmy mail about a réfund 😀'.split(' ');

/** One request of any kind: every type of question, texts and JSON as state, some states that are asked about often. */
function anyRequest(next: Random, at: number): object {
  const text = (count: number) => Array.from({ length: count }, () => next.pick(WORDS)).join(' ');
  const criteria = (count: number) => Array.from({ length: count }, (_, option) => `${option} ${text(1)}`);
  const question = () =>
    next.pick([
      () => ({ type: 'noul', instructions: text(3) }),
      () => ({ type: 'noul', criteria: { yes: text(1), no: null } }),
      () => ({ type: 'choice', instructions: text(3), criteria: criteria(1 + next.integer(4)) }),
      () => ({ type: 'score', criteria: criteria(2 + next.integer(3)) }),
    ])();
  const state = next.pick([
    () => 'the same state',
    () => ({ order: at, items: [text(1), null, 1.5], 10: true }),
    () => text(1 + next.integer(12)),
  ])();
  const count = at % 100 === 0 ? 16 : 1 + next.integer(2);
  const questions = Object.fromEntries(Array.from({ length: count }, (_, each) => [`q${each}`, question()]));
  // What only the model refuses: no context window is so wide.
  if (at % 250 === 7) questions.long = { type: 'noul', instructions: 'word '.repeat(10_000) };
  return { model: at % 3 === 0 ? 'tiny-20260101' : 'tiny', state, questions };
}

test(`exact mode: each response of ${LINES} lines has the bytes of the live answer`, {
  timeout: 900_000,
}, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const data = dataFolder(t);
  const models = modelsFolder(t.testdir(), { type: 'f16' });
  const server = await startTestServer(t, { DECIDER_ENGINE_EXACT: 'true', DECIDER_DATA: data }, models);
  const store = openStore(data);
  t.teardown(() => store.close());
  changeWorkspace(store, DEFAULT_WORKSPACE, { requestsPerMinute: 1_000_000 });
  const bodies = Array.from({ length: LINES }, (_, at) => JSON.stringify(anyRequest(next, at)));
  const file = bodies.map((body, at) => `{"custom_id":"l${at}",${body.slice(1)}`).join('\n');
  const ask = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${server.url}/v1/batches${path}`, { headers: server.headers, ...init })).text();

  const { id } = JSON.parse(await ask('', { method: 'POST', body: file }));
  // Live calls come while the batch runs.
  const live = new Array<string>(LINES);
  let at = 0;
  const client = async () => {
    while (at < LINES) {
      const own = at;
      at += 1;
      live[own] = await (await server.decide(bodies[own])).text();
    }
  };
  await Promise.all(Array.from({ length: LIVE_AT_ONCE }, client));
  await until(async () => JSON.parse(await ask(`/${id}`)).results_available, 600_000);

  const results = (await ask(`/${id}/results`)).split('\n').slice(0, -1);
  t.equal(results.length, LINES);
  const expected = live.map((text, line) => {
    const { model, usage, type } = JSON.parse(text);
    const head = { custom_id: `l${line}`, model, status: 200 };
    if (type === undefined)
      return `${JSON.stringify(head).slice(0, -1)},"response":${text},"usage":${JSON.stringify({ ...usage, batch: true })}}`;
    const named = JSON.parse(bodies[line] as string).model;
    const usageOfNone = { input_tokens: 0, output_tokens: 0, batch: true };
    return JSON.stringify({
      custom_id: `l${line}`,
      model: named,
      status: 422,
      error: JSON.parse(text),
      usage: usageOfNone,
    });
  });
  const different = results.filter((result, line) => result !== expected[line]);
  t.strictSame(different.slice(0, 3), []);
  t.equal(different.length, 0);
  t.ok(new Set(live).size > LINES / 2, 'the answers differ from each other');
  t.ok(results.some((result) => result.includes('"type":"invalid_question"')));
  const { counts } = JSON.parse(await ask(`/${id}`));
  t.equal(counts.done + counts.failed, LINES);
});
