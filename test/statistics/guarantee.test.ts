// Simulations of the guarantee of a fit, on generated answers whose true error is known.
import { test } from 'tap';
import { type Random, random } from '../../src/base/index.js';
import { fitQuestion, isAccepted, type LabelledAnswer, thresholdOf } from '../../src/statistics/index.js';
import { exactInterval, lowerBound } from '../../src/statistics/numerics/binomial.js';
import { seedFromEnvironment } from '../support/random.js';
import { LONG, scaled } from '../support/scale.js';
import { drawLabels, probabilitiesAt, SHAPES, type Shape } from '../support/statistics/shapes.js';

const DATA_SETS = scaled({ short: 160, long: 2_000 });
const SIZES = [100, 200, 400, 1_000, 2_500];
/** Of each shape and size. */
const FITS = Math.ceil(DATA_SETS / SIZES.length / Object.keys(SHAPES).length);
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

/** Fits with the given number of labels, and what they gave. */
function simulate(next: Random, shape: Shape, population: Population, size: number) {
  const sums = { fits: 0, found: 0, above: 0, coverage: 0, naiveAbove: 0 };
  for (; sums.fits < FITS; sums.fits += 1) {
    const labels = drawLabels(next, shape, size);
    const result = fitQuestion(labels, TARGET, { seed: 1, resamples: 20 });
    if ('refused' in result) throw new Error(`${labels.length} labels were refused`);
    const threshold = result.threshold?.threshold ?? null;
    const acceptance = { temperature: result.temperature.value, threshold };
    const real = truth(population, (c) => isAccepted(acceptance, probabilitiesAt(shape, c, 0)) === true);
    sums.coverage += real.coverage;
    if (threshold !== null) sums.found += 1;
    if (real.error > TARGET.error) sums.above += 1;
    const observed = naiveThreshold(labels);
    if (truth(population, (c) => c >= observed).error > TARGET.error) sums.naiveAbove += 1;
  }
  return sums;
}

test('the true error among accepted answers exceeds the target in at most 5 % of all fits', (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const isWithin = (above: number, fits: number) => lowerBound(above, fits, TAIL) <= 1 - TARGET.confidence;
  let [fits, above, naiveAbove] = [0, 0, 0];
  for (const [name, shape] of Object.entries(SHAPES)) {
    const population = populationOf(shape);
    let ownAbove = 0;
    for (const size of SIZES) {
      const sums = simulate(next, shape, population, size);
      fits += sums.fits;
      ownAbove += sums.above;
      naiveAbove += sums.naiveAbove;
      t.comment(
        `${name}, ${size} labels: ${sums.above} of ${sums.fits} fits above the target, ${sums.found} with a threshold, coverage ${percent(sums.coverage / sums.fits)}`,
      );
    }
    above += ownAbove;
    t.ok(isWithin(ownAbove, FITS * SIZES.length), `${name}: ${ownAbove}`);
  }
  const [low, high] = exactInterval(above, fits, 0.95);
  t.comment(`${above} of ${fits} fits above the target: ${percent(low)} to ${percent(high)}`);
  t.ok(isWithin(above, fits));
  // With few fits, more than 5 % of them may miss the target by chance.
  if (LONG) t.ok(above / fits <= 1 - TARGET.confidence);
  t.comment(`threshold of the observed error: ${naiveAbove} of ${fits} above the target`);
  t.notOk(isWithin(naiveAbove, fits), 'the naive choice fails the same test');
  t.end();
});
