import { test } from 'tap';
import { type Random, random } from '../../src/base/index.js';
import {
  type ErrorTest,
  errorTest,
  errorTestFrom,
  evidenceOf,
  withLabel,
} from '../../src/statistics/index.js';
import { seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { isShownAbove } from '../support/statistics/shown-above.js';

const STREAMS = scaled({ short: 100, long: 600 });
const LABELS = scaled({ short: 3_000, long: 10_000 });
const TARGET = { error: 0.05, confidence: 0.95 };

/** Adds labels of an error until the alarm, at most `count`. */
function after(next: Random, start: ErrorTest, error: number, count: number): ErrorTest {
  let state = start;
  for (let at = 0; at < count && state.alarm === null; at += 1) {
    state = withLabel(state, next.number() < error);
  }
  return state;
}

test('an error at the target raises an alarm in at most 5 % of streams, however often one looks', (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const alarmsIn = (streams: number): number => {
    let alarms = 0;
    for (let stream = 0; stream < streams; stream += 1) {
      if (after(next, errorTest(TARGET), TARGET.error, LABELS).alarm !== null) alarms += 1;
    }
    t.comment(`${alarms} of ${streams} streams of ${LABELS} labels`);
    return alarms;
  };
  t.notOk(isShownAbove(1 - TARGET.confidence, STREAMS, alarmsIn));
  t.end();
});

test('a higher error is found, at once and after many good labels', (t) => {
  const next = random(1);
  const median = (error: number, good: number) => {
    const found = Array.from({ length: 21 }, () => {
      const start = after(next, errorTest(TARGET), 0.02, good);
      const { alarm } = after(next, start, error, 20_000);
      return (alarm ?? Number.POSITIVE_INFINITY) - good;
    });
    return found.sort((a, b) => a - b)[10] as number;
  };
  for (const [error, good, bound] of [
    [0.1, 0, 400],
    [0.2, 0, 100],
    [0.1, 5_000, 1_000],
    [0.2, 5_000, 200],
  ] as const) {
    const labels = median(error, good);
    t.comment(
      `error ${error} after ${good} labels with 2 %: alarm after ${labels} labels in half of the streams`,
    );
    t.ok(labels > 0 && labels <= bound, `${labels}`);
  }
  t.end();
});

test('no labels, all right, all wrong', (t) => {
  const none = errorTest(TARGET);
  t.equal(evidenceOf(none), 1);
  const right = after(random(1), none, 0, 5_000);
  t.match(right, { labels: 5_000, wrong: 0, alarm: null });
  t.ok(evidenceOf(right) > 0 && evidenceOf(right) < 0.1);
  const wrong = after(random(1), none, 1, 5_000);
  t.ok(wrong.alarm !== null && wrong.alarm <= 5, `${wrong.alarm}`);
  let state = wrong;
  for (let at = 0; at < 2_000; at += 1) state = withLabel(state, true);
  t.ok(Number.isFinite(evidenceOf(state)), 'the evidence is bounded, so that JSON can hold it');
  t.equal(state.alarm, wrong.alarm, 'the first alarm stays');
  t.end();
});

test('a state continues as if nothing had happened, also through JSON', (t) => {
  const next = random(2);
  let [whole, stored] = [errorTest(TARGET), errorTest(TARGET)];
  for (let at = 0; at < 500; at += 1) {
    const wrong = next.number() < 0.04;
    whole = withLabel(whole, wrong);
    stored = errorTestFrom(JSON.parse(JSON.stringify(withLabel(stored, wrong)))) as ErrorTest;
  }
  t.strictSame(stored, whole);
  t.end();
});

test('states that no test writes are refused', (t) => {
  const state = errorTest(TARGET);
  t.ok(errorTestFrom(state) !== null);
  const bad = [
    null,
    {},
    { ...state, format: 'error test 2' },
    { ...state, wealth: [] },
    { ...state, wrong: -1 },
  ];
  for (const each of [
    ...bad,
    { ...state, wrong: 1 },
    { ...state, error: 0 },
    { ...state, wealth: state.wealth.map(() => -1) },
  ]) {
    t.equal(errorTestFrom(each), null, JSON.stringify(each));
  }
  for (const error of [0, 1, Number.NaN]) t.throws(() => errorTest({ ...TARGET, error }));
  t.end();
});
