import { test } from 'tap';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { modelsFolder, startTestServer } from '../support/server.js';

const BODIES = scaled({ short: 40, long: 250 });

test('exact mode: the bytes of responses are equal under concurrency 1, 8 and 64, and after a restart', async (t) => {
  const models = modelsFolder(t.testdir(), { type: 'f16' });
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const words = 'the parcel was lost and nobody answers my mail about a refund'.split(' ');
  const text = (count: number) => Array.from({ length: count }, () => next.pick(words)).join(' ');
  const bodies = Array.from({ length: BODIES }, (_, i) => ({
    // Some states are asked about twice.
    state: i % 3 === 0 ? 'the same state' : text(1 + next.integer(60)),
    questions: Object.fromEntries(
      Array.from({ length: 1 + next.integer(4) }, (_, q) => [
        `q${q}`,
        { type: 'choice', instructions: text(6), criteria: ['a', 'b', 'c'] },
      ]),
    ),
  }));
  const start = () => startTestServer(t, { DECIDER_ENGINE_EXACT: 'true' }, models);

  let server = await start();
  const answersAt = async (concurrency: number): Promise<string[]> => {
    const answers = new Array<string>(BODIES);
    const order = bodies.map((_, i) => i).sort(() => next.number() - 0.5);
    const client = async () => {
      for (let i = order.pop(); i !== undefined; i = order.pop()) {
        answers[i] = await (await server.decide(bodies[i])).text();
      }
    };
    await Promise.all(Array.from({ length: concurrency }, client));
    return answers;
  };
  const expected = await answersAt(1);
  t.ok(new Set(expected).size > BODIES / 2, 'the answers differ from each other');
  for (const concurrency of [8, 64]) {
    const found = await answersAt(concurrency);
    t.equal(found.filter((body, i) => body !== expected[i]).length, 0, `${concurrency} at a time`);
  }
  server = await start();
  const found = await answersAt(16);
  t.equal(found.filter((body, i) => body !== expected[i]).length, 0, 'after a restart');
});
