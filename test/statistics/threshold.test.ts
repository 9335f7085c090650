import { test } from 'tap';
import { random } from '../../src/base/index.js';
import {
  fitQuestion,
  isAccepted,
  type LabelledAnswer,
  type QuestionFit,
  type TooFewLabels,
} from '../../src/statistics/index.js';
import {
  TEMPERATURE_LABELS_MIN,
  TEMPERATURE_WRONG_MIN,
} from '../../src/statistics/temperature/label-temperature.js';
import { acceptedMin, certifyThreshold } from '../../src/statistics/threshold/certified-threshold.js';
import { labelsFor, splitLabels } from '../../src/statistics/threshold/split.js';
import { seedFromEnvironment } from '../support/random.js';
import { drawLabels, SHAPES, type Shape } from '../support/statistics/shapes.js';

const TARGET = { error: 0.05, confidence: 0.95 };
const BOOTSTRAP = { seed: 1, resamples: 40 };
const NEEDED = labelsFor(acceptedMin(TARGET));

const label = (id: number, probabilities: readonly number[], expected: number): LabelledAnswer => ({
  id: `label-${id}`,
  probabilities,
  expected,
});
const same = (count: number, probabilities: readonly number[], expected: number) =>
  Array.from({ length: count }, (_, id) => label(id, probabilities, expected));

function fitted(labels: readonly LabelledAnswer[], target = TARGET): QuestionFit {
  const fit = fitQuestion(labels, target, BOOTSTRAP);
  if ('refused' in fit) throw new Error(`refused: ${fit.labels} labels, ${fit.needed} are needed`);
  return fit;
}

test('too few labels are refused with the number, one below the bound', (t) => {
  t.equal(acceptedMin(TARGET), 59, '0.95⁵⁹ is below 0.05, 0.95⁵⁸ is not');
  t.equal(acceptedMin({ error: 0.5, confidence: 0.75 }), 2, 'exactly 0.25');
  t.equal(NEEDED, 78);
  for (const labels of [0, 1, NEEDED - 1]) {
    const fit = fitQuestion(same(labels, [0.9, 0.1], 0), TARGET, BOOTSTRAP);
    const refusal: TooFewLabels = { refused: 'too_few_labels', labels, needed: NEEDED };
    t.strictSame(fit, refusal);
  }
  const { threshold, labels, tested } = fitted(same(NEEDED, [0.9, 0.1], 0));
  t.strictSame([labels, tested], [NEEDED, 59]);
  t.match(threshold, { accepted: 59, wrong: 0, coverage: { value: 1 }, error: { value: 0 } });
  t.ok((threshold?.error_max as number) <= 0.05);
  for (let testing = 1; testing < 200; testing += 1) {
    const enough = labelsFor(testing);
    const split = (count: number) => splitLabels(same(count, [1, 0], 0)).testing.length;
    if (split(enough) < testing || split(enough - 1) >= testing) t.fail(`${testing}: ${enough}`);
  }
  t.end();
});

test('all right, all wrong, one option, and certainty', (t) => {
  const right = fitted(same(400, [1, 0], 0));
  t.match(right.threshold, { accepted: 300, wrong: 0, coverage: { value: 1 } });
  t.equal(right.quality.accuracy, 1);
  t.equal(right.quality.ece, 0);
  t.equal(isAccepted({ temperature: 1, threshold: right.threshold?.threshold as number }, [1, 0]), true);
  t.strictSame(right.more, []);
  const wrong = fitted(same(400, [1, 0], 1));
  t.equal(wrong.threshold, null);
  t.equal(wrong.quality.accuracy, 0);
  t.strictSame(wrong.more, [], 'no number of labels helps');
  t.equal(wrong.temperature.value, 1);
  t.match(wrong.temperature.refused, /^the best temperature is out of range/);
  const only = fitted(same(400, [1], 0));
  t.equal(only.threshold?.threshold, 1);
  t.end();
});

test('ties are never accepted, and equal confidences share their fate', (t) => {
  const tied = fitted(same(400, [0.5, 0.5], 0));
  t.equal(tied.threshold, null);
  t.equal(isAccepted({ temperature: 1, threshold: 0.4 }, [0.5, 0.5]), false);
  t.equal(isAccepted({ temperature: 1, threshold: 0.4 }, [0.5002, 0.4998]), true);
  t.equal(
    isAccepted({ temperature: 1, threshold: 0.4 }, [0.50009, 0.49991]),
    false,
    'may be emitted as 0.5 and 0.5',
  );
  t.equal(
    isAccepted({ temperature: 5, threshold: 0.4 }, [0.5002, 0.4998]),
    false,
    'a tie at the temperature',
  );
  t.equal(isAccepted({ temperature: 1, threshold: 0.9 }, [0.9, 0.1]), true);
  t.equal(isAccepted({ temperature: 1, threshold: null }, [0.9, 0.1]), null);
  const equal = fitted(drawLabels(random(1), SHAPES['one confidence'] as Shape, 2_500));
  t.equal(equal.threshold?.accepted, equal.tested, 'all or none');
  t.end();
});

test('a threshold is rounded before it is tested, and accepts what its labels say', (t) => {
  const labels = drawLabels(random(2), SHAPES.overconfident as Shape, 2_000);
  const { threshold, temperature, tested } = fitted(labels);
  t.ok(threshold !== null && String(threshold.threshold).length <= 8, `${threshold?.threshold}`);
  t.ok(temperature.value > 1.5, `overconfident: temperature ${temperature.value}`);
  const acceptance = { temperature: temperature.value, threshold: threshold?.threshold ?? null };
  const accepted = splitLabels(labels).testing.filter(({ probabilities }) =>
    isAccepted(acceptance, probabilities),
  );
  t.equal(accepted.length, threshold?.accepted);
  t.equal(threshold?.coverage.value, accepted.length / tested);
  const wrong = accepted.filter(
    ({ probabilities, expected }) => Math.max(...probabilities) !== probabilities[expected],
  );
  t.equal(wrong.length, threshold?.wrong);
  t.end();
});

test('the same labels give the same fit in any order', (t) => {
  const labels = drawLabels(random(3), SHAPES.calibrated as Shape, 600);
  t.strictSame(fitted([...labels].reverse()).threshold, fitted(labels).threshold);
  t.end();
});

test('a temperature needs labels and wrong ones, at the bounds', (t) => {
  const labels = (wrong: number, count: number) =>
    Array.from({ length: count }, (_, id) => label(id, [0.999, 0.001], id < wrong ? 1 : 0));
  const choosing = (all: readonly LabelledAnswer[]) => {
    const ids = new Set(splitLabels(all).choosing.map(({ id }) => id));
    return all.filter(({ id }) => ids.has(id));
  };
  const withWrong = (wrong: number, count: number) => {
    const all = labels(0, count);
    const change = new Set(
      choosing(all)
        .slice(0, wrong)
        .map(({ id }) => id),
    );
    return all.map((each) => (change.has(each.id) ? { ...each, expected: 1 } : each));
  };
  const of = (wrong: number, part: number) => fitted(withWrong(wrong, 4 * part)).temperature;
  t.equal(of(TEMPERATURE_WRONG_MIN, TEMPERATURE_LABELS_MIN).refused, null);
  t.ok(of(TEMPERATURE_WRONG_MIN, TEMPERATURE_LABELS_MIN).value > 1);
  t.match(of(TEMPERATURE_WRONG_MIN - 1, TEMPERATURE_LABELS_MIN).refused, /^100 labels with 9 wrong answers/);
  t.match(of(TEMPERATURE_WRONG_MIN, TEMPERATURE_LABELS_MIN - 1).refused, /^99 labels with 10 wrong answers/);
  t.end();
});

test('more coverage has the labels that it would need', (t) => {
  const { threshold, more, quality } = fitted(drawLabels(random(4), SHAPES['few errors'] as Shape, 80));
  t.ok(threshold !== null || more.length > 0, `${threshold?.threshold}`);
  t.ok(quality.accuracy > 0.9);
  const calibrated = fitted(drawLabels(random(5), SHAPES.calibrated as Shape, 300));
  const covered = calibrated.threshold?.coverage.value ?? 0;
  t.ok(calibrated.more.length > 0);
  let before = { coverage: covered, labels: 0 };
  for (const each of calibrated.more) {
    t.ok(each.coverage > before.coverage && each.labels > before.labels, JSON.stringify(each));
    before = each;
  }
  t.ok(before.labels < 1_000_000);
  t.end();
});

test('a larger coverage never seems to need as many labels as the fit has, or fewer', (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  let stated = 0;
  for (let fit = 0; fit < 60; fit += 1) {
    const shapes = Object.values(SHAPES);
    const shape = shapes[fit % shapes.length] as Shape;
    const labels = drawLabels(source, shape, 80 + source.integer(900));
    const { more } = fitted(labels);
    stated += more.length;
    for (const each of more)
      t.ok(each.labels > labels.length, `fit ${fit} of ${labels.length}: ${JSON.stringify(each)}`);
  }
  t.ok(stated > 0);
  t.end();
});

test('the sequence ends with the first threshold that does not keep the target', (t) => {
  const scored = (count: number, score: number, correct: boolean) => Array(count).fill({ score, correct });
  const halfWrong = (score: number) => [...scored(25, score, true), ...scored(25, score, false)];
  const choosing = [...scored(50, 0.9, true), ...halfWrong(0.8), ...halfWrong(0.7)];
  const testing = [...scored(100, 0.9, true), ...scored(30, 0.8, false), ...scored(2_000, 0.7, true)];
  const found = certifyThreshold(choosing, testing, TARGET, 0.5);
  t.match(found, { threshold: 0.9, accepted: 100 }, '0.8 fails, so that 0.7 is not tested, which would pass');
  const fine = certifyThreshold(
    choosing,
    [...scored(100, 0.9, true), ...scored(200, 0.7, true)],
    TARGET,
    0.5,
  );
  t.match(fine, { threshold: 0.5, accepted: 300, wrong: 0 });
  t.equal(certifyThreshold([], [], TARGET, 0.5), null);
  t.equal(certifyThreshold([], scored(58, 1, true), TARGET, 0.5), null);
  t.match(certifyThreshold([], scored(59, 1, true), TARGET, 0.5), { accepted: 59 });
  t.end();
});

test('what is not a probability, an option or a target is refused', (t) => {
  const fit =
    (...labels: LabelledAnswer[]) =>
    () =>
      fitQuestion(labels, TARGET, BOOTSTRAP);
  t.throws(fit(label(1, [Number.NaN, 1], 0)), /not a number from 0/);
  t.throws(fit(label(1, [-0.1, 1.1], 0)), /not a number from 0/);
  t.throws(fit(label(1, [0.6, 0.6], 0)), /do not sum to 1/);
  t.throws(fit(label(1, [Number.POSITIVE_INFINITY, 0], 0)), /do not sum to 1/);
  t.throws(fit(label(1, [], 0)), /do not sum to 1/);
  for (const expected of [-1, 2, 0.5, Number.NaN])
    t.throws(fit(label(1, [0.5, 0.5], expected)), /not one of its options/);
  t.throws(fit(label(1, [0.5, 0.5], 0), label(2, [0.4, 0.3, 0.3], 0)), /differ in their options/);
  t.throws(fit(label(1, [0.5, 0.5], 0), label(1, [0.4, 0.6], 0)), /share an id/);
  t.throws(() => isAccepted({ temperature: 1, threshold: 0.5 }, [Number.NaN, 1]));
  for (const bad of [0, 1, Number.NaN]) {
    t.throws(() => fitQuestion([], { error: bad, confidence: 0.95 }, BOOTSTRAP), /not above 0 and below 1/);
    t.throws(() => fitQuestion([], { error: 0.05, confidence: bad }, BOOTSTRAP), /not above 0 and below 1/);
  }
  t.end();
});
