import { test } from 'tap';
import { formatBiasOf, modeDifferenceOf, orderBiasOf } from '../../src/evaluation/metrics/biases.js';
import { wilson } from '../../src/statistics/index.js';
import { answeredQuestion } from '../support/evaluation/synthetic.js';

const OPTIONS = { seed: 1, resamples: 100 };
const questions = Array.from({ length: 12 }, (_, at) => answeredQuestion(String(at), [0.7, 0.3], 0));

test('if no answer changes, or all are right, the share has Wilson’s interval', async (t) => {
  const none = { value: 0, ci: wilson(0, 12) };
  const all = { value: 1, ci: wilson(12, 12) };
  const rotations = [{ by: 1, probabilities: [0.6, 0.4] }];
  const order = orderBiasOf(
    questions.map((sent) => ({ sent, rotations })),
    OPTIONS,
  );
  t.strictSame(order?.changed, none);
  const modes = modeDifferenceOf(
    questions.map((each) => [each, each]),
    OPTIONS,
  );
  t.strictSame(modes?.changed, none);
  const format = formatBiasOf(
    questions.map((each) => ({ text: each, flat: each, nested: each })),
    OPTIONS,
  );
  t.strictSame(format?.changed, none);
  t.strictSame(format?.accuracy, { text: all, flat: all, nested: all });
});

test('one case shows no preference for a position', async (t) => {
  const [sent] = questions;
  const rotations = [{ by: 1, probabilities: [0.4, 0.6] }];
  const order = orderBiasOf(sent === undefined ? [] : [{ sent, rotations }], OPTIONS);
  t.ok(Math.abs((order?.first?.value ?? 0) - 0.15) < 1e-12);
  t.strictSame(order?.first?.ci, [-1, 1]);
  t.strictSame(order?.last?.ci, [-1, 1]);
});
