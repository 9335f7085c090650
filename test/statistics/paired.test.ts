import { test } from 'tap';
import { random } from '../../src/base/index.js';
import { comparisonOf } from '../../src/evaluation/metrics/comparison.js';
import {
  accuracyDifferenceInterval,
  estimateDifference,
  meanDifferenceInterval,
} from '../../src/statistics/metrics/paired.js';
import { studentQuantile } from '../../src/statistics/numerics/quantiles.js';
import { NO_SHADOW_ANSWERS } from '../../src/statistics/shadow/shadow-counts.js';
import { shadowReportOf } from '../../src/statistics/shadow/shadow-report.js';
import { answeredQuestion, drawn, normal, softmax } from '../support/evaluation/synthetic.js';

const OPTIONS = { seed: 1, resamples: 200 };
/** Clusters of one question. */
const single = (sums: readonly number[]) => ({
  sizes: new Float64Array(sums.length).fill(1),
  sums: Float64Array.from(sums),
});
/** So many questions that only the first run has right, only the second one, and both or none. */
const answers = (first: number, second: number, others: number) =>
  single([...Array(first).fill(-1), ...Array(second).fill(1), ...Array(others).fill(0)]);

test('the quantiles of Student’s distribution are those of tables', async (t) => {
  const table = { 1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 30: 2.042, 120: 1.98 };
  for (const [freedom, quantile] of Object.entries(table)) {
    const found = studentQuantile(Number(freedom));
    t.ok(Math.abs(found / quantile - 1) < 2e-3, `${freedom}: ${found}`);
  }
});

test('few answers of different correctness have the interval of Bonett and Price', async (t) => {
  for (const [live, shadow, both] of [
    [0, 0, 1],
    [0, 0, 40],
    [1, 0, 0],
    [3, 7, 30],
    [9, 0, 300],
  ] as const) {
    const right = { both, live, shadow, neither: 0 };
    const { accuracy_difference: expected } = shadowReportOf({ ...NO_SHADOW_ANSWERS, right });
    const found = accuracyDifferenceInterval(answers(live, shadow, both));
    for (const bound of [0, 1] as const) {
      const [own, other] = [found?.[bound] ?? Number.NaN, expected?.ci[bound] ?? Number.NaN];
      t.ok(Math.abs(own - other) < 1e-12, `${live}, ${shadow}: ${own} and ${other}`);
    }
  }
  t.equal(accuracyDifferenceInterval(answers(10, 10, 100)), null, 'resamples can do it');
});

test('answers that agree, or differ four times in one direction, prove nothing', async (t) => {
  const [low, high] = accuracyDifferenceInterval(answers(0, 0, 200)) ?? [];
  t.ok((low ?? 0) < -0.01 && (high ?? 0) > 0.01, `${low} to ${high}`);
  const [lowest = 1] = accuracyDifferenceInterval(answers(0, 4, 196)) ?? [];
  t.ok(lowest < 0, 'four of four coins fall on one side in an eighth of all cases');
  t.ok((accuracyDifferenceInterval(answers(0, 10, 190)) ?? [0])[0] > 0);
});

test('the observed difference is in its interval, also with clusters of different sizes', async (t) => {
  const next = random(1);
  for (let run = 0; run < 2_000; run += 1) {
    const sizes = Float64Array.from({ length: 1 + next.integer(25) }, () => 1 + next.integer(20));
    const sums = sizes.map((size) => Math.min(size, next.integer(4)) * next.integer(3));
    const clamped = sums.map((sum, cluster) => Math.min(sum, sizes[cluster] as number));
    const difference = clamped.reduce((a, b) => a + b, 0) / sizes.reduce((a, b) => a + b, 0);
    const found = [
      accuracyDifferenceInterval({ sizes, sums: clamped }),
      meanDifferenceInterval({ sizes, sums: clamped }, 1),
    ];
    const outside = found.some((ci) => ci !== null && !(ci[0] <= difference && difference <= ci[1]));
    if (outside) t.fail(`${difference} is outside ${JSON.stringify(found)}: ${sizes}, ${clamped}`);
  }
  t.pass('all are inside');
});

test('the difference of one case may be any', async (t) => {
  const pair = [answeredQuestion('a', [0.4, 0.6], 0), answeredQuestion('a', [0.9, 0.1], 0)] as const;
  const { accuracy, brier, log_loss } = comparisonOf([pair], OPTIONS);
  t.ok((accuracy.ci?.[0] ?? 1) < 0 && accuracy.ci?.[1] === 1);
  t.strictSame(brier.ci, [-2, 2]);
  t.ok((log_loss.ci?.[0] ?? 0) < -9.9 && (log_loss.ci?.[1] ?? 0) > 9.9);
  t.strictSame(estimateDifference([{ value: 0.1, cluster: 5 }], 1, OPTIONS)?.ci, [-1, 1]);
  t.equal(estimateDifference([], 1, OPTIONS), null);
  t.equal(meanDifferenceInterval(single(Array(500).fill(1)), 1), null, 'resamples can do it');
});

test('few cases rarely show a difference of runs that are equally good', async (t) => {
  const RUNS = 300;
  const next = random(2);
  for (const cases of [3, 10, 30]) {
    const shown = { accuracy: 0, brier: 0, log_loss: 0 };
    for (let run = 0; run < RUNS; run += 1) {
      const pairs = Array.from({ length: cases }, (_, id) => {
        const logits = Array.from({ length: 3 }, () => 3 * normal(next));
        const expected = drawn(next, softmax(logits));
        const noisy = () =>
          answeredQuestion(String(id), softmax(logits.map((each) => each + normal(next))), expected);
        return [noisy(), noisy()] as const;
      });
      const found = comparisonOf(pairs, { seed: run, resamples: 100 });
      for (const metric of ['accuracy', 'brier', 'log_loss'] as const) {
        const [low, high] = found[metric].ci ?? [0, 0];
        shown[metric] += Number(low > 0 || high < 0);
      }
    }
    t.comment(`${cases} cases, of ${RUNS} comparisons: ${JSON.stringify(shown)}`);
    for (const [metric, count] of Object.entries(shown))
      t.ok(count <= 0.07 * RUNS, `${cases} cases, ${metric}: ${count} of ${RUNS}`);
  }
});
