import { test } from 'tap';
import { random } from '../../src/base/index.js';
import { TEST_EVERY_ANSWERS } from '../../src/statistics/drift/drift-monitor.js';
import { stabilityIndex } from '../../src/statistics/drift/stability-index.js';
import {
  answerCode,
  CONFIDENCE_BOUNDS,
  type DriftAlarm,
  DriftMonitor,
  type DriftReport,
  type DriftState,
  WINDOW_ANSWERS,
} from '../../src/statistics/index.js';
import { drawn } from '../support/evaluation/synthetic.js';
import { answerStream } from '../support/statistics/streams.js';

const add = (monitor: DriftMonitor, count: number, answer: () => readonly number[]) => {
  let raised = 0;
  for (let at = 0; at < count; at += 1) if (monitor.add(answerCode(answer())) !== null) raised += 1;
  return raised;
};
const yes = () => [0.97, 0.03];
const no = () => [0.2, 0.8];

test('the window has the last answers, and the report their shares', (t) => {
  const monitor = DriftMonitor.of([yes(), yes(), yes(), no()]);
  t.match(monitor.report(), { answers: 0, window: 0, alarm: null, chosen: { stability: null } });
  add(monitor, 1, no);
  t.match(monitor.report(), { answers: 1, window: 1, chosen: { labelled: [0.75, 0.25], window: [0, 1] } });
  add(monitor, WINDOW_ANSWERS - 1, yes);
  t.match(monitor.report(), { answers: WINDOW_ANSWERS, window: WINDOW_ANSWERS });
  t.equal(monitor.report().chosen.window[1], 1 / WINDOW_ANSWERS);
  add(monitor, 1, yes);
  const { answers, window, chosen, confidence } = monitor.report();
  t.strictSame([answers, window], [WINDOW_ANSWERS + 1, WINDOW_ANSWERS]);
  t.strictSame(chosen.window, [1, 0], 'the first answer has left');
  t.equal(confidence.window[CONFIDENCE_BOUNDS.indexOf(0.95) + 1], 1, 'from 0.95 to below 0.98');
  t.end();
});

test('a confidence equal to a bound belongs to the class above it', (t) => {
  for (const [at, bound] of [...CONFIDENCE_BOUNDS].entries()) {
    const rest = (1 - bound) / 3;
    const monitor = DriftMonitor.of([[bound, rest, rest, rest]]);
    t.equal(monitor.report().confidence.labelled[at + 1], 1, `${bound}`);
  }
  t.equal(
    DriftMonitor.of([[1, 0]])
      .report()
      .confidence.labelled.at(-1),
    1,
  );
  t.equal(DriftMonitor.of([[0.3, 0.25, 0.25, 0.2]]).report().confidence.labelled[0], 1);
  t.end();
});

test('a large shift raises one alarm, which stays', (t) => {
  const monitor = DriftMonitor.of([...Array(300).fill(yes()), ...Array(100).fill(no())]);
  t.equal(add(monitor, TEST_EVERY_ANSWERS - 1, no), 0);
  const alarm: DriftAlarm | null = monitor.add(answerCode(no()));
  t.match(alarm, {
    after_answers: TEST_EVERY_ANSWERS,
    reference: 'labelled',
    reference_share: 0.25,
    window_share: 1,
    of: 'chosen',
    at: 1,
  });
  t.equal(add(monitor, 2_000, yes), 0);
  t.same(monitor.report().alarm, alarm);
  t.end();
});

test('a change of traffic is found from the earlier answers, also if the labels are few', (t) => {
  const next = random(1);
  const before = answerStream(next, [0.5, 0.3, 0.2]);
  const monitor = DriftMonitor.of(Array.from({ length: 20 }, before));
  t.equal(add(monitor, 10_000, before), 0);
  t.equal(add(monitor, WINDOW_ANSWERS, answerStream(next, [0.65, 0.2, 0.15])), 1);
  t.equal(monitor.report().alarm?.reference, 'earlier');
  t.end();
});

test('a state continues as if nothing had happened, also through JSON', (t) => {
  const next = random(2);
  const stream = answerStream(next, [0.5, 0.3, 0.2]);
  const labelled = Array.from({ length: 400 }, stream);
  const whole = DriftMonitor.of(labelled);
  let stored = DriftMonitor.of(labelled);
  for (let at = 0; at < 3_300; at += 1) {
    const answer = stream();
    whole.add(answerCode(answer));
    stored.add(answerCode(answer));
    if (at % 317 === 0)
      stored = DriftMonitor.from(JSON.parse(JSON.stringify(stored.state()))) as DriftMonitor;
  }
  t.strictSame(stored.state(), whole.state());
  t.strictSame(stored.report(), whole.report());
  t.ok(JSON.stringify(whole.state()).length < 6_000);
  const shifted = answerStream(next, [0.1, 0.8, 0.1]);
  add(stored, 1_000, shifted);
  const again = DriftMonitor.from(JSON.parse(JSON.stringify(stored.state()))) as DriftMonitor;
  t.ok(again.report().alarm !== null);
  t.strictSame(again.report(), stored.report() as DriftReport);
  t.end();
});

test('a state of the most options has a bounded size', (t) => {
  const options = 255;
  const monitor = DriftMonitor.of([Array(options).fill(1 / options)]);
  const next = random(3);
  const stream = answerStream(next, Array(options).fill(1 / options));
  add(monitor, 5_000, stream);
  t.ok(JSON.stringify(monitor.state()).length < 8_000);
  t.end();
});

test('states that no monitor writes are refused', (t) => {
  const state: DriftState = DriftMonitor.of([yes()]).state();
  t.ok(DriftMonitor.from(state) !== null);
  const bad = [
    null,
    {},
    { ...state, format: 'drift 2' },
    { ...state, window: [22] },
    { ...state, window: [-1] },
    { ...state, window: Array(WINDOW_ANSWERS + 1).fill(0) },
    { ...state, earlier: { ...state.earlier, chosen: [0] } },
    { ...state, earlier: { ...state.earlier, confidence: [0] } },
    { ...state, labelled: { ...state.labelled, chosen: [1, Number.NaN] } },
    { ...state, labelled: { ...state.labelled, chosen: [5, 5] } },
    { ...state, alarm: {} },
  ];
  for (const each of bad) t.equal(DriftMonitor.from(each), null, JSON.stringify(each));
  const full = { ...state, window: Array(WINDOW_ANSWERS).fill(21) };
  t.equal(DriftMonitor.from(full)?.report().window, WINDOW_ANSWERS);
  t.end();
});

test('invalid answers are refused, and change nothing', (t) => {
  const monitor = DriftMonitor.of([yes()]);
  t.throws(() => monitor.add(answerCode([Number.NaN, 1])));
  t.throws(() => monitor.add(answerCode([0.5, 0.4])));
  t.throws(() => monitor.add(answerCode([0.2, 0.3, 0.5])), /other options/);
  t.equal(monitor.report().answers, 0);
  t.throws(() => DriftMonitor.of([]), /no labelled answers/);
  t.throws(() => DriftMonitor.of([[0.5, 0.5], [1]]), /other options/);
  t.end();
});

test('the population stability index', (t) => {
  t.equal(stabilityIndex([1, 2], [0, 0]), null);
  t.equal(stabilityIndex([0, 0], [1, 2]), null);
  t.equal(stabilityIndex([10, 30], [10, 30])?.value, 0);
  // (0.6 − 0.5) ln(0.6 / 0.5) + (0.4 − 0.5) ln(0.4 / 0.5) = 0.1 ln 1.5, and the smoothing matters little.
  const index = stabilityIndex([50_000, 50_000], [60_000, 40_000]);
  t.ok(Math.abs((index?.value as number) - 0.1 * Math.log(1.5)) < 1e-5);
  t.equal(index?.unchanged, 2 / 100_000);
  t.ok(Number.isFinite(stabilityIndex([100, 0], [0, 100])?.value));
  t.end();
});

test('the mean of the stability index without a change is that of simulated samples', (t) => {
  const next = random(3);
  const sample = (shares: readonly number[], size: number) => {
    const counts = shares.map(() => 0);
    for (let each = 0; each < size; each += 1) counts[drawn(next, shares)]! += 1;
    return counts;
  };
  const skewed = Array.from({ length: 26 }, (_, option) => 0.55 ** option);
  const total = skewed.reduce((a, b) => a + b, 0);
  for (const shares of [
    [0.2, 0.2, 0.2, 0.2, 0.2],
    [0, 0, 0, 0.1, 0.15, 0.2, 0.2, 0.15, 0.1, 0.06, 0.04],
    skewed.map((each) => each / total),
  ]) {
    let [value, unchanged] = [0, 0];
    for (let run = 0; run < 300; run += 1) {
      const index = stabilityIndex(sample(shares, 400), sample(shares, 1_000));
      value += index?.value ?? Number.NaN;
      unchanged += index?.unchanged ?? Number.NaN;
    }
    t.ok(Math.abs(unchanged / value - 1) < 0.2, `${shares.length} classes: ${unchanged / value}`);
  }
  t.end();
});
