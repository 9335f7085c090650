// Simulations of the guarantee of a fit, on generated answers whose true error is known.
import { test } from 'tap';
import { random } from '../../src/base/index.js';
import { fitQuestion, isAccepted, type LabelledAnswer, thresholdOf } from '../../src/statistics/index.js';
import { exactInterval, lowerBound } from '../../src/statistics/numerics/binomial.js';
import { seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { drawLabels, probabilitiesAt, SHAPES, type Shape } from '../support/statistics/shapes.js';

const DATA_SETS = scaled({ short: 160, long: 2_000 });
const SIZES = [100, 200, 400, 1_000, 2_500];
const TARGET = { error: 0.05, confidence: 0.95 };
/** Of the intervals on which this file decides: a correct program fails once in a thousand runs. */
const TAIL = 0.001;

/** Confidences of the whole population of a shape, highest first, and the sum of errors up to each. */
function populationOf(shape: Shape) {
  const next = random(99);
  const confidences = Float64Array.from({ length: 50_000 }, () => shape.confidence(next))
    .sort()
    .reverse();
  const errors = new Float64Array(confidences.length + 1);
  for (const [at, confidence] of confidences.entries()) {
    errors[at + 1] = (errors[at] as number) + shape.error(confidence);
  }
  return { confidences, errors };
}

type Population = ReturnType<typeof populationOf>;

/** The true error and coverage of what is accepted. Whether an answer is accepted grows with its confidence. */
function truth({ confidences, errors }: Population, accepts: (confidence: number) => boolean) {
  let [low, high] = [0, confidences.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (accepts(confidences[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return { coverage: low / confidences.length, error: low === 0 ? 0 : (errors[low] as number) / low };
}

/** The threshold that the observed error suggests: what a fit must be better than. */
function naiveThreshold(labels: readonly LabelledAnswer[]): number {
  const judged = labels.map(({ probabilities, expected }) => {
    const confidence = Math.max(...probabilities);
    return { confidence, correct: probabilities.indexOf(confidence) === expected };
  });
  return thresholdOf(judged)?.threshold ?? Number.POSITIVE_INFINITY;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

test('the true error among accepted answers exceeds the target in at most 5 % of all fits', (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const [all, naive] = [
    { fits: 0, above: 0 },
    { fits: 0, above: 0 },
  ];
  for (const [name, shape] of Object.entries(SHAPES)) {
    const population = populationOf(shape);
    const fits = Math.ceil(DATA_SETS / Object.keys(SHAPES).length);
    let [found, above, coverage] = [0, 0, 0];
    for (let fit = 0; fit < fits; fit += 1) {
      const labels = drawLabels(next, shape, SIZES[fit % SIZES.length] as number);
      const result = fitQuestion(labels, TARGET, { seed: 1, resamples: 20 });
      if ('refused' in result) throw new Error(`${labels.length} labels were refused`);
      const threshold = result.threshold?.threshold ?? null;
      const acceptance = { temperature: result.temperature.value, threshold };
      const real = truth(population, (c) => isAccepted(acceptance, probabilitiesAt(shape, c, 0)) === true);
      if (threshold !== null) found += 1;
      coverage += real.coverage;
      if (real.error > TARGET.error) above += 1;
      const observed = naiveThreshold(labels);
      if (truth(population, (c) => c >= observed).error > TARGET.error) naive.above += 1;
      naive.fits += 1;
    }
    all.fits += fits;
    all.above += above;
    t.comment(
      `${name}: ${above} of ${fits} fits above the target, ${found} with a threshold, coverage ${percent(coverage / fits)}`,
    );
    t.ok(lowerBound(above, fits, TAIL) <= 1 - TARGET.confidence, `${name}: ${above} of ${fits}`);
  }
  const [low, high] = exactInterval(all.above, all.fits, 0.95);
  t.comment(`${all.above} of ${all.fits} fits above the target: ${percent(low)} to ${percent(high)}`);
  t.ok(all.above / all.fits <= 1 - TARGET.confidence);
  t.comment(`observed error: ${naive.above} of ${naive.fits} above the target`);
  t.ok(
    lowerBound(naive.above, naive.fits, TAIL) > 1 - TARGET.confidence,
    'the naive choice fails the same test',
  );
  t.end();
});
