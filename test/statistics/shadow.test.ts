import { test } from 'tap';
import { random } from '../../src/base/index.js';
import {
  mergedShadow,
  NO_SHADOW_ANSWERS,
  type ShadowCounts,
  type ShadowReport,
  shadowCountsFrom,
  shadowReportOf,
  withPair,
  withPairLabel,
} from '../../src/statistics/index.js';
import { seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const SAMPLES = scaled({ short: 500, long: 5_000 });
const ACCEPTANCE = { temperature: 1, threshold: 0.8 };
const pair = (live: number, shadow: number) => ({ live: [live, 1 - live], shadow: [shadow, 1 - shadow] });
const counted = (pairs: ReadonlyArray<readonly [live: number, shadow: number]>, acceptance = ACCEPTANCE) =>
  pairs.reduce((counts, each) => withPair(counts, pair(...each), acceptance), NO_SHADOW_ANSWERS);
const near = (a: number | undefined | null, b: number) => Math.abs((a ?? Number.NaN) - b) < 1e-12;

test('agreement, differences and acceptance are counted', (t) => {
  const report: ShadowReport = shadowReportOf(
    counted([
      [0.9, 0.95],
      [0.9, 0.7],
      [0.6, 0.9],
      [0.6, 0.3],
      [0.1, 0.1],
    ]),
  );
  t.match(report, {
    answers: 5,
    newly_accepted: 1,
    no_longer_accepted: 1,
    labels: 0,
    accuracy_difference: null,
  });
  t.equal(report.agreement?.value, 0.8);
  t.equal(report.accept_changed?.value, 0.4);
  t.ok(near(report.mean_difference, (0.05 + 0.2 + 0.3 + 0.3) / 5));
  t.ok(near(report.largest_difference, 0.3));
  const [low, high] = report.agreement?.ci ?? [1, 0];
  t.ok(low < 0.8 && high > 0.8);
  t.end();
});

test('no answers, one answer, and no threshold', (t) => {
  t.match(shadowReportOf(NO_SHADOW_ANSWERS), {
    answers: 0,
    agreement: null,
    mean_difference: null,
    largest_difference: null,
    accept_changed: null,
    live_accuracy: null,
    accuracy_difference: null,
  });
  const one = shadowReportOf(counted([[1, 1]]));
  t.match(one, { agreement: { value: 1 }, mean_difference: 0, largest_difference: 0 });
  t.ok(near(one.agreement?.ci[0], 0.025));
  const without = shadowReportOf(
    withPair(NO_SHADOW_ANSWERS, pair(0.9, 0.1), { temperature: 1, threshold: null }),
  );
  t.match(without, { answers: 1, accept_changed: null, newly_accepted: 0 });
  t.end();
});

test('labels of both builds are counted', (t) => {
  const labelled = [
    [0.9, 0.9, 0],
    [0.9, 0.2, 0],
    [0.9, 0.2, 1],
    [0.2, 0.2, 0],
  ] as const;
  const counts = labelled.reduce<ShadowCounts>(
    (sum, [live, shadow, expected]) => withPairLabel(sum, pair(live, shadow), expected),
    NO_SHADOW_ANSWERS,
  );
  t.match(shadowReportOf(counts), {
    labels: 4,
    live_accuracy: { value: 0.5 },
    shadow_accuracy: { value: 0.5 },
    accuracy_difference: { value: 0 },
  });
  t.end();
});

test('the counts of two nodes are those of all answers, also through JSON', (t) => {
  const [a, b] = [
    counted([[0.9, 0.7]]),
    counted([
      [0.6, 0.3],
      [0.2, 0.9],
    ]),
  ];
  const merged = mergedShadow(withPairLabel(a, pair(0.9, 0.7), 0), b);
  const whole = withPairLabel(
    counted([
      [0.9, 0.7],
      [0.6, 0.3],
      [0.2, 0.9],
    ]),
    pair(0.9, 0.7),
    0,
  );
  t.ok(near(merged.moved, whole.moved));
  t.strictSame({ ...merged, moved: 0 }, { ...whole, moved: 0 });
  t.strictSame(shadowCountsFrom(JSON.parse(JSON.stringify(merged))), merged);
  t.equal(shadowCountsFrom({ ...merged, format: 'shadow 2' }), null);
  t.equal(shadowCountsFrom({ ...merged, answers: -1 }), null);
  t.equal(shadowCountsFrom(null), null);
  t.end();
});

test('invalid answers are refused', (t) => {
  const add = (live: number[], shadow: number[]) => () =>
    withPair(NO_SHADOW_ANSWERS, { live, shadow }, ACCEPTANCE);
  t.throws(add([Number.NaN, 1], [0.5, 0.5]));
  t.throws(add([0.5, 0.5], [0.5, 0.6]));
  t.throws(add([0.5, 0.5], [1]), /same options/);
  t.end();
});

test('the interval of the paired difference holds the true one in about 95 % of samples', (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  for (const [n, live, shadow] of [
    [20, 0.05, 0.1],
    [100, 0.02, 0.05],
    [400, 0.1, 0.1],
  ] as const) {
    let covered = 0;
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const right = { both: 0, live: 0, shadow: 0, neither: 0 };
      for (let at = 0; at < n; at += 1) {
        const lot = next.number();
        right[lot < live ? 'live' : lot < live + shadow ? 'shadow' : 'both'] += 1;
      }
      const [low, high] = shadowReportOf({ ...NO_SHADOW_ANSWERS, right }).accuracy_difference?.ci ?? [1, 0];
      if (low <= shadow - live && shadow - live <= high) covered += 1;
    }
    t.comment(`${n} pairs: ${covered} of ${SAMPLES}`);
    // Three standard errors of the simulation below 93 %.
    t.ok(covered / SAMPLES > 0.93 - 3 * Math.sqrt((0.95 * 0.05) / SAMPLES), `${covered} of ${SAMPLES}`);
  }
  t.end();
});
