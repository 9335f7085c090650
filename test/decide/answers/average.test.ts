import { test } from 'tap';
import { softmax } from '../../../src/base/index.js';
import { labelMassOf, probabilitiesOf } from '../../../src/decide/answers/average.js';
import { roundProbabilities, UNITS } from '../../../src/decide/answers/probabilities.js';
import { random, seedFromEnvironment } from '../../support/random.js';

const logits = (...values: number[]) => Float32Array.from(values);

test('the probabilities of one order are the softmax, to the last bit', async (t) => {
  const one = logits(1.25, -3.5, 0.1);
  t.strictSame(probabilitiesOf([one], 3, 1.7), softmax(one, 1.7));
  t.strictSame(
    probabilitiesOf([logits(1.25, -3.5, 0.1, -9)], 3, 1.7),
    softmax(one, 1.7),
    'a label mass is not an option',
  );
});

test('those of several orders are the mean of the softmax of each, not of the logits', async (t) => {
  const [a, b] = [logits(0, Math.log(3)), logits(Math.log(4), 0)];
  const p = probabilitiesOf([a, b], 2, 1);
  t.ok(Math.abs((p[0] as number) - (1 / 4 + 4 / 5) / 2) < 1e-7, `${p}`);
});

test('averages of any logits sum to 1 and lie between those of the orders', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  for (let round = 0; round < 300; round += 1) {
    const options = 2 + next.integer(25);
    const orders = Array.from({ length: 1 + next.integer(26) }, () =>
      Float32Array.from({ length: options }, () => 60 * (next.number() - 0.5)),
    );
    const temperature = 0.25 + 4 * next.number();
    const p = probabilitiesOf(orders, options, temperature);
    const each = orders.map((order) => softmax(order, temperature));
    for (const [option, value] of p.entries()) {
      const all = each.map((own) => own[option] as number);
      t.ok(value >= Math.min(...all) - 1e-12 && value <= Math.max(...all) + 1e-12);
    }
    t.equal(
      roundProbabilities(p).reduce((sum, units) => sum + units, 0),
      UNITS,
    );
  }
  t.pass(`seed ${seed}`);
});

test('logits that the engine must not return are a failure', async (t) => {
  t.throws(() => probabilitiesOf([], 2, 1), Error);
  t.throws(() => probabilitiesOf([logits(1)], 2, 1), /1 logits for 2 options/);
  t.throws(() => probabilitiesOf([logits(1, 2), logits(1, Number.NaN)], 2, 1), /not finite/);
});

test('the label mass is the mean over the orders, with four significant digits', async (t) => {
  const masses = (...all: number[]) =>
    labelMassOf(
      all.map((mass) => logits(0, 0, Math.log(mass))),
      2,
    );
  t.equal(masses(1), 1);
  t.equal(masses(0.5), 0.5);
  t.equal(masses(0.25, 0.75), 0.5);
  t.equal(masses(0.123456789), 0.1235);
  t.equal(masses(0.99996), 1);
  t.equal(masses(1.234e-9), 1.234e-9);
  t.equal(labelMassOf([logits(0, 0, -2_000)], 2), 0, 'smaller than any number');
  t.throws(() => labelMassOf([logits(0, 0)], 2), Error, 'none was asked for');
  t.throws(() => labelMassOf([logits(0, 0, Number.NaN)], 2), Error);
  t.throws(() => labelMassOf([logits(0, 0, 0.1)], 2), Error, 'above 1');
});
