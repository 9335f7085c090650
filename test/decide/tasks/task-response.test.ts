import { test } from 'tap';
import { probabilitiesOf } from '../../../src/decide/answers/average.js';
import { roundProbabilities } from '../../../src/decide/answers/probabilities.js';
import { taskResponse } from '../../../src/decide/tasks/task-response.js';
import { isAccepted } from '../../../src/statistics/index.js';
import { answerOf } from '../../../src/tasks/index.js';
import { choiceOf } from '../../support/decide/questions.js';

const QUESTION = { ...choiceOf('a', 'b'), name: 'q' };

/** The probabilities of an answer whose logits differ by so much, in as many orders of the options. */
const answered = (...differences: readonly number[]) =>
  probabilitiesOf(
    differences.map((difference) => Float32Array.of(difference, 0)),
    2,
    1,
  );
const keptOf = (probabilities: Float64Array) =>
  answerOf({ version: 1 }, 'r', { build: 'm-1', calibration: 'c', probabilities: [probabilities] })
    .probabilities[0] ?? [];

/** Whether the response accepts an answer, and whether a fit counts it as accepted. */
function acceptOf(probabilities: Float64Array, threshold: number, temperature = 1, calibration = 'c') {
  const acceptance = { temperature, threshold };
  const { answers } = JSON.parse(
    taskResponse({
      build: 'm-1',
      calibration: 'c',
      questions: [QUESTION],
      units: [roundProbabilities(probabilities)],
      probabilities: [probabilities],
      usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0 },
      extras: [{ raw: null, labelMass: null }],
      task: { name: 't', version: 1, fits: [{ build: 'm-1', calibration, acceptances: [acceptance] }] },
    }),
  );
  return [answers.q.accept, isAccepted(acceptance, keptOf(probabilities))];
}

test('an answer of another calibration than the fit is neither accepted nor refused', async (t) => {
  t.equal(acceptOf(answered(18), 0.5)[0], true);
  t.equal(acceptOf(answered(18), 0.5, 1, 'd')[0], null);
});

test('an answer is accepted if its kept probabilities are: a fit has tested those', async (t) => {
  // The kept probability is 1, and that of the answer is below it; also as mean of two orders.
  for (const own of [answered(18), answered(20), answered(18, 20)]) {
    t.ok((own[0] as number) < 1 && keptOf(own)[0] === 1);
    t.strictSame(acceptOf(own, 1), [true, true]);
  }
  t.strictSame(acceptOf(answered(10), 1), [false, false]);
  for (let difference = 0.01; difference < 17; difference += 0.37) {
    const own = answered(difference, difference / 2);
    t.strictSame(acceptOf(own, keptOf(own)[0] as number), [true, true], `${difference}`);
    const [accepted, counted] = acceptOf(own, 0.9, 1.5);
    t.equal(accepted, counted);
  }
});
