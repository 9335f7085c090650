import { type Test, test } from 'tap';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { modelsFolder, startTestServer } from '../support/server.js';

const BODIES = scaled({ short: 40, long: 120 });
/** With several contexts. */
const REQUESTS = scaled({ short: 60, long: 300 });

/** Requests of random words; the server of this model that answers them; and the order in which they are sent. */
function prepare(t: Test, count: number) {
  const models = modelsFolder(t.testdir(), { type: 'f16' });
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const words = 'the parcel was lost and nobody answers my mail about a refund'.split(' ');
  const text = (length: number) => Array.from({ length }, () => next.pick(words)).join(' ');
  const bodies = Array.from({ length: count }, (_, i) => ({
    // Some states are asked about twice.
    state: i % 3 === 0 ? 'the same state' : text(1 + next.integer(60)),
    questions: Object.fromEntries(
      Array.from({ length: 1 + next.integer(4) }, (_, q) => [
        `q${q}`,
        { type: 'choice', instructions: text(6), criteria: ['a', 'b', 'c'] },
      ]),
    ),
  }));
  const start = (environment: Record<string, string> = {}) =>
    startTestServer(t, { DECIDER_ENGINE_EXACT: 'true', ...environment }, models);
  /** The bodies of the responses, by request. */
  const answersOf = async (
    server: Awaited<ReturnType<typeof start>>,
    concurrency: number,
  ): Promise<string[]> => {
    const answers = new Array<string>(count);
    const order = bodies.map((_, i) => i).sort(() => next.number() - 0.5);
    const client = async () => {
      for (let i = order.pop(); i !== undefined; i = order.pop()) {
        answers[i] = await (await server.decide(bodies[i])).text();
      }
    };
    await Promise.all(Array.from({ length: concurrency }, client));
    return answers;
  };
  return { start, answersOf };
}

test('exact mode: the bytes of responses are equal under concurrency 1, 8 and 64, and after a restart', async (t) => {
  const { start, answersOf } = prepare(t, BODIES);
  const server = await start();
  const expected = await answersOf(server, 1);
  t.ok(new Set(expected).size > BODIES / 2, 'the answers differ from each other');
  for (const concurrency of [8, 64]) {
    const found = await answersOf(server, concurrency);
    t.equal(found.filter((body, i) => body !== expected[i]).length, 0, `${concurrency} at a time`);
  }
  const found = await answersOf(await start(), 16);
  t.equal(found.filter((body, i) => body !== expected[i]).length, 0, 'after a restart');
});

test('exact mode with two contexts returns the bytes of one', async (t) => {
  const { start, answersOf } = prepare(t, REQUESTS);
  const expected = await answersOf(await start({ DECIDER_ENGINE_CONTEXTS: '1' }), 8);
  const found = await answersOf(await start({ DECIDER_ENGINE_CONTEXTS: '2' }), 8);
  t.equal(found.filter((body, i) => body !== expected[i]).length, 0);
});
