import { test } from 'tap';
import {
  clustersOf,
  estimateMean,
  estimateShare,
  GROUPS_MIN,
  wilson,
} from '../../src/statistics/metrics/bootstrap.js';
import {
  applyThreshold,
  binsOf,
  operatingPoints,
  pointOfError,
} from '../../src/statistics/metrics/calibration.js';
import { qualityOf } from '../../src/statistics/metrics/quality.js';
import { PROBABILITY_MIN } from '../../src/statistics/metrics/score.js';
import { answeredQuestion as answered } from '../support/evaluation/synthetic.js';

const OPTIONS = { seed: 1, resamples: 200 };
const near = (a: number, b: number) => Math.abs(a - b) < 1e-12;

test('accuracy, Brier score and log loss of known answers', async (t) => {
  const quality = qualityOf(
    [answered('a', [0.7, 0.2, 0.1], 0), answered('b', [0.4, 0.4, 0.2], 1), answered('c', [0, 1, 0], 2)],
    OPTIONS,
  );
  t.equal(quality.n, 3);
  t.ok(near(quality.accuracy, 1 / 3), 'a tie goes to the earlier option, so b is wrong');
  const brier = (0.09 + 0.04 + 0.01 + (0.16 + 0.36 + 0.04) + 2) / 3;
  t.ok(near(quality.brier, brier));
  t.ok(near(quality.log_loss, -(Math.log(0.7) + Math.log(0.4) + Math.log(PROBABILITY_MIN)) / 3));
  const gap = Math.abs(1 - 0.7 - 0.4 - 1) / 3;
  t.ok(near(quality.ece, gap), 'one bin');
  t.strictSame(quality.reliability.length, 1);
  const [low, high] = quality.ci.brier;
  t.ok(low <= brier && brier <= high && low < high);
  t.strictSame(quality, qualityOf([...questionsAgain()], OPTIONS), 'the same seed, the same intervals');
  function* questionsAgain() {
    yield answered('a', [0.7, 0.2, 0.1], 0);
    yield answered('b', [0.4, 0.4, 0.2], 1);
    yield answered('c', [0, 1, 0], 2);
  }
});

test('bins have equal mass, and equal confidences share one', async (t) => {
  const judged = (confidences: readonly number[]) =>
    confidences.map((confidence) => ({ confidence, correct: true }));
  const distinct = binsOf(judged(Array.from({ length: 200 }, (_, at) => at / 200)));
  t.equal(distinct.count, 10);
  const sizes = Array.from({ length: 10 }, (_, bin) => distinct.of.filter((each) => each === bin).length);
  t.strictSame(sizes, Array(10).fill(20));
  t.equal(
    binsOf(judged(Array.from({ length: 19 }, (_, at) => at / 19))).count,
    1,
    'at least 10 answers a bin',
  );
  t.equal(binsOf(judged(Array(500).fill(1))).count, 1);
  const tied = binsOf(
    judged([...Array(50).fill(0.5), ...Array.from({ length: 50 }, (_, at) => 0.6 + at / 1_000)]),
  );
  t.equal(new Set(tied.of.slice(0, 50)).size, 1);
  t.equal(tied.count, 6);
  const sizesOf = (runs: readonly number[]) => {
    const { of, count } = binsOf(judged(runs.flatMap((length, at) => Array<number>(length).fill(at))));
    return Array.from({ length: count }, (_, bin) => of.filter((each) => each === bin).length);
  };
  t.strictSame(sizesOf([95, 5]), [100], 'a small last bin joins the one before it');
  t.strictSame(sizesOf([90, 10]), [90, 10]);
  t.strictSame(sizesOf([19, 1, ...Array<number>(80).fill(1)]).slice(0, 2), [19, 10]);
  t.strictSame(sizesOf([5, 14, 12, 69]), [19, 12, 69], 'ties do not leave a bin with fewer than 10');
});

test('the threshold for 5 % error is the one with the largest coverage', async (t) => {
  const correct = [true, true, true, true, true, true, true, true, true, true, false, true];
  const judged = correct.map((each, at) => ({ confidence: 0.99 - at / 100, correct: each }));
  // 20 more right answers of equal confidence dilute the wrong one.
  const sorted = [...judged, ...Array(20).fill({ confidence: 0.5, correct: true })].reverse();
  const points = operatingPoints(sorted);
  t.equal(points.length, 13);
  t.match(points[9], { n: 10, error: 0 });
  t.match(points[10], { n: 11, error: 1 / 11 });
  t.match(pointOfError(points), { threshold: 0.5, coverage: 1, n: 32 });
  t.match(pointOfError(points.slice(0, 12)), { n: 10 });
  t.equal(pointOfError(operatingPoints([{ confidence: 1, correct: false }])), null);
  t.match(applyThreshold(sorted, 0.9), { n: 10, error: 0 });
  t.match(applyThreshold(sorted, 1), { n: 0, coverage: 0, error: 0 });
});

test('groups are resampled together from 20 clusters on, cases otherwise', async (t) => {
  const questions = (groups: number) =>
    Array.from({ length: 2 * groups }, (_, at) =>
      answered(`c${at}`, [1, 0], 0, { group: `g${at % groups}` }),
    );
  const [few, enough] = [clustersOf(questions(GROUPS_MIN - 1)), clustersOf(questions(GROUPS_MIN))];
  t.match(few, { count: 2 * (GROUPS_MIN - 1), unit: 'cases' });
  t.match(enough, { count: GROUPS_MIN, unit: 'groups' });
  t.equal(enough.of[0], enough.of[GROUPS_MIN], 'two cases of one group');
  const mixed = questions(GROUPS_MIN).map((question, at) =>
    at === 0 ? { ...question, group: null, case: 'g1' } : question,
  );
  t.match(clustersOf(mixed), { count: GROUPS_MIN + 1, unit: 'groups' }, 'a case without a group is its own');
  const without = questions(GROUPS_MIN).map((question) => ({ ...question, group: null }));
  t.match(clustersOf(without), { count: 2 * GROUPS_MIN, unit: 'cases' });
  t.equal(qualityOf(mixed, OPTIONS).resampled, 'groups');
});

test('questions of one case widen the interval as one', async (t) => {
  const values = (perCluster: number) =>
    Array.from({ length: 400 }, (_, at) => {
      const cluster = Math.floor(at / perCluster);
      return { value: cluster % 2, cluster };
    });
  const width = (perCluster: number) => {
    const ci = estimateMean(values(perCluster), { seed: 7, resamples: 500 })?.ci ?? [0, 0];
    return ci[1] - ci[0];
  };
  t.ok(width(16) > 3 * width(1));
  t.equal(estimateMean([], OPTIONS), null);
});

test('if all answers are right, the interval of the accuracy is Wilson’s', async (t) => {
  const { ci } = qualityOf(
    Array.from({ length: 10 }, (_, at) => answered(String(at), [0.9, 0.1], 0)),
    OPTIONS,
  );
  t.ok(near(ci.accuracy[1], 1));
  t.ok(Math.abs(ci.accuracy[0] - 0.7225) < 1e-4);
  t.ok(Math.abs(wilson(0, 10)[1] - 0.2775) < 1e-4);
  for (let n = 1; n <= 1_000; n += 1) {
    t.equal(wilson(n, n)[1], 1, `${n} of ${n}`);
    t.equal(wilson(0, n)[0], 0, `0 of ${n}`);
  }
});

test('a share of 0 or 1 has Wilson’s interval, of clusters', async (t) => {
  const values = (value: number) =>
    Array.from({ length: 20 }, (_, at) => ({ value, cluster: Math.floor(at / 2) }));
  t.strictSame(estimateShare(values(0), OPTIONS), { value: 0, ci: wilson(0, 10) });
  t.strictSame(estimateShare(values(1), OPTIONS), { value: 1, ci: wilson(10, 10) });
  const mixed = values(0).map((each, at) => ({ ...each, value: at % 4 === 0 ? 1 : 0 }));
  t.strictSame(estimateShare(mixed, OPTIONS), estimateMean(mixed, OPTIONS));
  t.equal(estimateShare([], OPTIONS), null);
});

test('without an error, the ECE of certain answers may be that of one that was missed', async (t) => {
  const right = Array.from({ length: 10 }, (_, at) => answered(String(at), [1, 0], 0));
  const { ece, ci } = qualityOf(right, OPTIONS);
  t.equal(ece, 0);
  t.strictSame(ci.ece, wilson(0, 10));
});
