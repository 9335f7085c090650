import { type Test, test } from 'tap';
import type { Plan } from '../../src/engine/index.js';
import { type Form, runWave } from '../../src/engine/wave/index.js';
import { addon, BOUNDS, distance, never, openContext, openTiny } from '../helpers/engine.js';
import { random, seedFromEnvironment } from '../helpers/random.js';

const PREFIXES = [1, 40, 300, 900, 3_000];
const FORMS: Form[] = ['coupled', 'copied'];
const TOLERANCE = 1e-3;

function open(t: Test) {
  const model = openTiny(t.testdir());
  const context = openContext(model);
  t.teardown(() => {
    context.close();
    addon.closeModel(model.handle);
  });
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const tokens = (count: number) => Int32Array.from({ length: count }, () => 300 + next.integer(1_500));
  const plan = (prefix: number, questions: number): Plan => ({
    prefix: tokens(prefix),
    leaves: Array.from({ length: questions }, () => ({
      tokens: tokens(20 + next.integer(60)),
      options: model.profile.labels.slice(0, 2 + next.integer(25)),
    })),
  });
  return { context, plan, next };
}

const alone = (plan: Plan, leaf: number): Plan => ({
  prefix: plan.prefix,
  leaves: [plan.leaves[leaf] as Plan['leaves'][number]],
});

for (const prefix of PREFIXES) {
  test(`16 questions on a prefix of ${prefix} tokens equal each asked alone, in both forms`, async (t) => {
    const { context, plan } = open(t);
    const asked = plan(prefix, 16);
    const expected = asked.leaves.map(
      (_, leaf) => runWave(context, [alone(asked, leaf)], BOUNDS, never())[0]?.[0] as Float32Array,
    );
    for (const form of FORMS) {
      const [together] = runWave(context, [asked], BOUNDS, never(), form);
      const worst = Math.max(
        ...expected.map((logits, leaf) => distance(logits, together?.[leaf] as Float32Array)),
      );
      t.ok(worst <= TOLERANCE, `${form}: largest |Δp| ${worst.toExponential(1)}`);
    }
  });
}

test('a request among neighbours in one wave equals itself alone', async (t) => {
  const { context, plan } = open(t);
  const asked = plan(200, 4);
  const neighbours = Array.from({ length: 7 }, (_, index) => plan(30 + index * 50, 1 + (index % 5)));
  const [expected] = runWave(context, [asked], BOUNDS, never());
  for (const place of [0, 3, 7]) {
    const wave = [...neighbours];
    wave.splice(place, 0, asked);
    const found = runWave(context, wave, BOUNDS, never())[place];
    const worst = Math.max(
      ...(expected ?? []).map((logits, leaf) => distance(logits, found?.[leaf] as Float32Array)),
    );
    t.ok(worst <= TOLERANCE, `at place ${place}: largest |Δp| ${worst.toExponential(1)}`);
  }
});

test('a plan with more leaves than cells or sequences takes turns and stays the same', async (t) => {
  const { context, plan } = open(t);
  const asked = plan(300, 16);
  const [expected] = runWave(context, [asked], BOUNDS, never());
  for (const bounds of [
    { ...BOUNDS, cells: 450 },
    { ...BOUNDS, sequences: 3 },
    { ...BOUNDS, batchTokens: 128, microBatchTokens: 128 },
  ]) {
    const [found] = runWave(context, [asked], bounds, never());
    const worst = Math.max(
      ...(expected ?? []).map((logits, leaf) => distance(logits, found?.[leaf] as Float32Array)),
    );
    t.ok(worst <= TOLERANCE, `largest |Δp| ${worst.toExponential(1)}`);
  }
});

test('a wave leaves nothing behind: the next one gives the same bytes', async (t) => {
  const { context, plan } = open(t);
  const [first, other] = [plan(100, 3), plan(500, 8)];
  const before = runWave(context, [first], BOUNDS, never());
  runWave(context, [other], BOUNDS, never());
  t.strictSame(runWave(context, [first], BOUNDS, never()), before);
});

test('a cancelled wave says so, and the context answers the next one', async (t) => {
  const { context, plan } = open(t);
  const asked = plan(100, 2);
  const cancel = never();
  const before = runWave(context, [asked], BOUNDS, cancel);
  cancel[0] = 1;
  t.throws(() => runWave(context, [asked], BOUNDS, cancel), { code: 'cancelled' });
  cancel[0] = 0;
  t.strictSame(runWave(context, [asked], BOUNDS, cancel), before);
});
