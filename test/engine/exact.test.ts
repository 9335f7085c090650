import { test } from 'tap';
import { EXACT, type Plan } from '../../src/engine/index.js';
import { ContextState } from '../../src/engine/scheduler/context-state.js';
import { contextOptions } from '../../src/engine/wave/wave-types.js';
import { addon, answerAll, BOUNDS, openTiny, planOf } from '../support/engine.js';
import { fakeEngine, markedPlan } from '../support/fake-engine.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const PLANS = scaled({ short: 12, long: 60 });
const THREADS = [1, 2, 1, 3];

const stays = () => ({ signal: new AbortController().signal });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('several contexts: each computes one plan at a time, from an empty context', async (t) => {
  const { engine, threads } = fakeEngine({ sharing: EXACT }, 3);
  const answers = [1, 2, 3, 4, 5].map((mark) => engine.run(markedPlan(mark), stays()));
  t.strictSame(
    threads.map(({ waves }) => waves.length),
    [1, 1, 1],
  );
  t.equal(engine.waiting('live'), 2);
  threads[2]?.waves[0]?.resolve();
  await turn();
  t.equal(threads[2]?.waves.length, 2, 'the context that is free takes the next one');
  for (const { waves } of threads) for (const wave of waves) wave.resolve();
  await turn();
  for (const { waves } of threads) for (const wave of waves) wave.resolve();
  t.strictSame(
    (await Promise.all(answers)).map(({ logits }) => logits),
    [1, 2, 3, 4, 5].map((mark) => [Float32Array.of(mark)]),
  );
  const waves = threads.flatMap((thread) => thread.waves);
  t.equal(waves.length, 5);
  t.ok(waves.every(({ task }) => task.clear));
});

test('the bytes are equal on every context, whatever it computed before and with how many threads', async (t) => {
  const model = openTiny(t.testdir(), { type: 'f16' });
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const bounds = { ...BOUNDS, waveTokens: 512 };
  const tokens = (count: number) => Int32Array.from({ length: count }, () => 300 + next.integer(1_500));
  // Some take several waves.
  const plans = Array.from({ length: PLANS }, (_, at): Plan => {
    const suffixes = Array.from({ length: 1 + next.integer(3) }, () => ({
      tokens: tokens(1 + next.integer(80)),
      options: model.profile.labels.slice(0, 2 + next.integer(5)),
    }));
    return planOf(tokens(1 + next.integer(at % 4 === 0 ? 1_500 : 200)), suffixes);
  });
  const answers = THREADS.map((threads) => {
    const context = addon.createContext(model.handle, contextOptions(bounds, threads));
    const state = new ContextState(bounds, EXACT);
    const found = new Map<number, string>();
    const order = plans.map((_, at) => at).sort(() => next.number() - 0.5);
    for (const at of order) {
      const [logits] = answerAll(context, [plans[at] as Plan], EXACT, bounds, state);
      found.set(at, (logits ?? []).map((each) => Buffer.from(each.buffer).toString('hex')).join());
    }
    context.close();
    return plans.map((_, at) => found.get(at));
  });
  addon.closeModel(model.handle);
  const [first, ...others] = answers;
  t.equal(new Set(first).size, PLANS);
  for (const other of others) t.strictSame(other, first);
});
