import { type Test, test } from 'tap';
import { DEFAULT_WORKSPACE } from '../../src/access/index.js';
import { systemClock } from '../../src/base/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { changeWorkspace } from '../support/access/folder-changes.js';
import { noisyJpeg } from '../support/images/jpeg.js';
import { png } from '../support/images/png.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const LINES = scaled({ short: 80, long: 500 }, 'LINES');
const NORMAL_LINES = scaled({ short: 40, long: 100 });
/** Of F16 weights: a question moves by up to 2.5e-3 with how its prompt is cut into decodes. */
const NORMAL_DIFFERENCE_MAX = 1e-2;
const LIVE_AT_ONCE = 8;
const PICTURES = [await noisyJpeg(), png({ width: 640, height: 480 })].map((bytes, place) => ({
  type: 'image',
  format: ['jpeg', 'png'][place],
  data_base64: bytes.toString('base64'),
}));
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
  if (at % 25 === 3) return { ...anyModel(at), ...seenImage(next) };
  const count = at % 100 === 0 ? 16 : 1 + next.integer(2);
  const questions = Object.fromEntries(Array.from({ length: count }, (_, each) => [`q${each}`, question()]));
  // What only the model refuses: no context window is so wide.
  if (at % 250 === 7) questions.long = { type: 'noul', instructions: 'word '.repeat(10_000) };
  return { ...anyModel(at), state, questions };
}

const anyModel = (at: number) => ({ model: at % 3 === 0 ? 'tiny-20260101' : 'tiny' });

/** Of one of two images, in the state or in a question. */
function seenImage(next: Random): object {
  const instructions = 'Which is it?';
  return {
    ...next.pick([
      { state: 'see pic', questions: { q: { type: 'choice', instructions, criteria: ['a', 'b'] } } },
      { state: 'see', questions: { q: { type: 'choice', criteria: { a: 'pic', b: null } } } },
    ]),
    assets: { pic: next.pick(PICTURES) },
    image_budget: next.pick([70, 140, 280]),
  };
}

/** The answers to live calls made while a batch of the same requests runs, and the lines of its results. */
async function liveAndBatch(t: Test, environment: Record<string, string>, bodies: readonly string[]) {
  const data = dataFolder(t);
  const models = modelsFolder(t.testdir(), { type: 'f16' }, {}, 'gemma4v');
  const server = await startTestServer(t, { ...environment, DECIDER_DATA: data }, models);
  const store = openStore(data);
  t.teardown(() => store.close());
  changeWorkspace(store, systemClock, DEFAULT_WORKSPACE, { requestsPerMinute: 1_000_000 });
  const file = bodies.map((body, at) => `{"custom_id":"l${at}",${body.slice(1)}`).join('\n');
  const ask = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${server.url}/v1/batches${path}`, { headers: server.headers, ...init })).text();

  const { id } = JSON.parse(await ask('', { method: 'POST', body: file }));
  const live = new Array<string>(bodies.length);
  let at = 0;
  const client = async () => {
    while (at < bodies.length) {
      const own = at;
      at += 1;
      live[own] = await (await server.decide(bodies[own])).text();
    }
  };
  await Promise.all(Array.from({ length: LIVE_AT_ONCE }, client));
  await until(async () => JSON.parse(await ask(`/${id}`)).results_available, 600_000);
  const results = (await ask(`/${id}/results`)).split('\n').slice(0, -1);
  t.equal(results.length, bodies.length);
  const { counts } = JSON.parse(await ask(`/${id}`));
  t.equal(counts.done + counts.failed, bodies.length);
  return { live, results };
}

test(`exact mode: each response of ${LINES} lines has the bytes of the live answer`, {
  timeout: 900_000,
}, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const bodies = Array.from({ length: LINES }, (_, at) => JSON.stringify(anyRequest(next, at)));
  const { live, results } = await liveAndBatch(t, { DECIDER_ENGINE_EXACT: 'true' }, bodies);
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
});

test('normal mode: the answer to a line differs from the live answer only as concurrent requests make it differ', {
  timeout: 300_000,
}, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const bodies = Array.from({ length: NORMAL_LINES }, (_, at) => JSON.stringify(anyRequest(next, at)));
  const { live, results } = await liveAndBatch(t, {}, bodies);
  let largest = 0;
  for (const [line, result] of results.entries()) {
    const { response } = JSON.parse(result);
    const answers = Object.entries(JSON.parse(live[line] as string).answers ?? {});
    for (const [name, { probabilities }] of answers as [string, { probabilities?: object }][]) {
      for (const [option, p] of Object.entries(probabilities ?? {})) {
        largest = Math.max(largest, Math.abs(p - response.answers[name].probabilities[option]));
      }
    }
  }
  t.comment(`largest |Δp| of ${NORMAL_LINES} lines (F16): ${largest.toExponential(1)}`);
  t.ok(largest < NORMAL_DIFFERENCE_MAX, `${largest}`);
});
