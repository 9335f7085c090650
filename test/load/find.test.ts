import { test } from 'tap';
import {
  findRate,
  readTarget,
  SEARCH_PRECISION,
  SEARCH_STEPS_MAX,
  secondsFor,
} from '../../src/load/index.js';

const RATE_MAX = 100_000;

test('the search finds a capacity within its precision, from any first rate', async (t) => {
  for (const capacity of [0.7, 37, 1_234]) {
    for (const first of [capacity / 16, capacity / 1.9, capacity, capacity * 1.1, capacity * 8]) {
      const measured: number[] = [];
      const found = await findRate(first, RATE_MAX, async (rate) => {
        measured.push(rate);
        return rate <= capacity;
      });
      t.equal(found.ended, 'precision');
      const { rate, failing } = found as { rate: number; failing: number };
      t.ok(rate <= capacity && failing > capacity && failing / rate <= 1 + SEARCH_PRECISION);
      t.ok(measured.length <= 10, `${measured.length} steps`);
      t.equal(found.steps, measured.length);
    }
  }
});

test('the search is bounded', async (t) => {
  let steps = 0;
  const count = (passes: boolean) => async () => {
    steps += 1;
    return passes;
  };
  t.match(await findRate(10, RATE_MAX, count(false)), { rate: null, ended: 'none_passes' });
  t.equal(steps, 4, '10, 5, 2.5, 1.25');
  t.match(await findRate(10, 35, count(true)), { rate: 35, failing: null, ended: 'rate_limit' });
  t.match(await findRate(80, 35, count(true)), { rate: 35, steps: 1, ended: 'rate_limit' });
  steps = 0;
  const far = await findRate(1e-6, RATE_MAX, count(true));
  t.match(far, { ended: 'steps', steps: SEARCH_STEPS_MAX, failing: null });
  t.equal(steps, SEARCH_STEPS_MAX);
});

test('the search can be interrupted', async (t) => {
  for (const ended of ['interrupted', 'time'] as const) {
    const answers = [true, false, ended];
    const found = await findRate(10, RATE_MAX, async () => answers.shift() as boolean);
    t.strictSame(found, { rate: 10, failing: 20, steps: 2, ended });
  }
});

test('targets', async (t) => {
  t.strictSame(readTarget('p95=250ms', 30_000), { percent: 95, share: 0.95, ms: 250 });
  t.strictSame(readTarget('p99.9=1.5s', 30_000), { percent: 99.9, share: 0.9990000000000001, ms: 1_500 });
  for (const text of [
    '',
    'p95',
    '95=250ms',
    'p95=250',
    'p95=0ms',
    'p49=1s',
    'p100=1s',
    'p95=-1ms',
    'p95=1m',
    'p95=1e3ms',
  ]) {
    t.throws(
      () => readTarget(text, 30_000),
      { message: /^find: ".*" is not a target\. Give a percentile/ },
      text,
    );
  }
});

test('a target is at most the timeout', async (t) => {
  t.match(readTarget('p95=30s', 30_000), { ms: 30_000 });
  t.throws(() => readTarget('p95=30001ms', 30_000), { message: /is longer than --timeout, 30 s\.$/ });
});

test('a step is long enough for its percentile', async (t) => {
  for (const [target, rate, seconds] of [
    ['p50=10ms', 10, 4],
    ['p95=10ms', 10, 40],
    ['p99=10ms', 10, 200],
    ['p95=1s', 1_000, 100],
  ] as const) {
    t.ok(Math.abs(secondsFor(readTarget(target, 30_000), rate) - seconds) < 1e-6, `${target} at ${rate}/s`);
  }
});
