import assert from 'node:assert/strict';
import { test } from 'tap';
import { softmax } from '../../../src/base/index.js';
import {
  type Answer,
  answer,
  type ChoiceAnswer,
  type ScoreAnswer,
} from '../../../src/decide/answers/answer.js';
import { roundProbabilities } from '../../../src/decide/answers/probabilities.js';
import { choiceOf, NOUL, scoreOf } from '../../support/decide/questions.js';
import {
  choiceConfidence,
  expectedLevel,
  indexOfLargest,
  plainSoftmax,
  scoreConfidence,
} from '../../support/decide/recompute.js';
import { type Random, random, seedFromEnvironment } from '../../support/random.js';

const HALF_UNIT = 0.5e-4 + 1e-12;
const close = (a: number, b: number, within: number) => Math.abs(a - b) <= within;

/** Logits of `n` options: ordinary, tied, all equal or extreme ones. */
function randomLogits(source: Random, n: number): number[] {
  const kind = source.integer(5);
  const constant = source.number() * 10;
  return Array.from({ length: n }, () => {
    if (kind === 0) return constant;
    if (kind === 1) return source.integer(3);
    if (kind === 2) return source.pick([1e30, -1e30, 0, source.number()]);
    return (source.number() - 0.5) * (kind === 3 ? 4 : 40);
  });
}

/** Fails where a derived field does not follow from the emitted probabilities. */
function checkDerived(given: Answer, p: readonly number[]): void {
  const largest = indexOfLargest(p);
  if (given.type === 'choice') {
    assert.equal(given.choice, `l${largest}`);
    assert.ok(close(given.confidence, choiceConfidence(p), HALF_UNIT), 'choice confidence');
  } else if (given.type === 'score') {
    assert.equal(given.level, largest);
    assert.ok(close(given.score, expectedLevel(p), HALF_UNIT), 'score');
    assert.ok(close(given.confidence, scoreConfidence(p, largest), HALF_UNIT), 'score confidence');
    assert.ok(given.score >= 0 && given.score <= p.length - 1);
  }
}

/** At most 4 decimals, and inside 0…`max`. */
function checkNumber(value: number, max: number): void {
  assert.ok(value >= 0 && value <= max, String(value));
  assert.match(JSON.stringify(value), /^\d+(\.\d{1,4})?$/);
}

test('10,000 random logit vectors: emitted values sum to 1 and every field follows from them', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  for (let count = 0; count < 10_000; count += 1) {
    const n = source.pick([1, 2, 26, 1 + source.integer(26)]);
    const logits = randomLogits(source, n);
    const temperature = source.pick([1, 0.5, 1.7]);
    const units = roundProbabilities(softmax(logits, temperature));
    assert.equal(
      units.reduce((a, b) => a + b, 0),
      10_000,
    );
    const names = Array.from({ length: n }, (_, index) => `l${index}`);
    for (const question of [choiceOf(...names), scoreOf(...names)]) {
      const given = answer(question, logits, temperature) as ChoiceAnswer | ScoreAnswer;
      const p = given.probabilities.map(([, value]) => value);
      assert.deepEqual(
        p.map((value) => Math.round(value * 10_000)),
        units,
      );
      checkDerived(given, p);
      for (const value of p) checkNumber(value, 1);
      checkNumber(given.confidence, 1);
      if (given.type === 'score') checkNumber(given.score, n - 1);
    }
    if (n === 2) {
      const given = answer(NOUL, logits, temperature);
      const yes = (units[0] as number) / 10_000;
      assert.ok(
        given.type === 'noul' && given.noul === (yes >= 0.5 ? Math.max(yes, 0.8) : Math.min(yes, 0.2)),
      );
    }
  }
  t.pass('10,000 vectors');
});

test('softmax agrees with the plain formula, and rounding stays within one unit and in order', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  for (let count = 0; count < 5_000; count += 1) {
    const logits = Array.from({ length: 1 + source.integer(26) }, () => (source.number() - 0.5) * 20);
    const p = softmax(logits, 1.3);
    const plain = plainSoftmax(logits, 1.3);
    const units = roundProbabilities(p);
    p.forEach((value, index) => {
      assert.ok(close(value, plain[index] as number, 1e-12));
      assert.ok(Math.abs((units[index] as number) - value * 10_000) < 1);
      p.forEach((other, j) => {
        if (value > other) assert.ok((units[index] as number) >= (units[j] as number));
      });
    });
  }
  t.pass('5,000 vectors');
});

test('softmax is stable at any size of logit', async (t) => {
  t.same([...softmax([1e30, -1e30], 1)], [1, 0]);
  t.same([...softmax([Number.MAX_VALUE, -Number.MAX_VALUE], 1e-9)], [1, 0]);
  t.same([...softmax([1e30, 1e30, 1e30, 1e30], 1)], [0.25, 0.25, 0.25, 0.25]);
  t.same([...softmax(Float32Array.of(-5), 3)], [1]);
});

test('rounding adds the missing units to the largest remainders', async (t) => {
  t.same(roundProbabilities([0.33338, 0.33331, 0.33331]), [3334, 3333, 3333]);
  t.same(roundProbabilities([0.11111, 0.22226, 0.66663]), [1111, 2223, 6666]);
});

test('rounding gives equal remainders to the earlier option', async (t) => {
  t.same(roundProbabilities([1 / 3, 1 / 3, 1 / 3]), [3334, 3333, 3333]);
  t.same(roundProbabilities([0.25, 0.125, 0.125, 0.5]), [2500, 1250, 1250, 5000]);
  t.same(roundProbabilities(Array(26).fill(1 / 26)), [...Array(16).fill(385), ...Array(10).fill(384)]);
});

test('rounding refuses values that are not probabilities', async (t) => {
  for (const p of [[], [Number.NaN, 1], [0.5, 0.4], [1.5, -0.5], [Number.POSITIVE_INFINITY]]) {
    t.throws(() => roundProbabilities(p), Error, String(p));
  }
});
