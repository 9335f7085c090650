import { type Test, test } from 'tap';
import type { Addon } from '../../src/engine/index.js';
import { longestPrompt, planCells } from '../../src/engine/index.js';
import { fixedPlans, judgeNumerics, measureReference, PROMPTS } from '../../src/tuning/index.js';
import { COMPARED_MIN } from '../../src/tuning/numerics/fixed-prompts.js';
import { differenceBounds } from '../../src/tuning/numerics/judge-answers.js';
import type { Answers } from '../../src/tuning/numerics/measure-answers.js';
import { openProbe } from '../../src/tuning/probe.js';
import { probeBackend } from '../../src/tuning/process/probe-backend.js';
import { addon, buildOf, openTiny } from '../support/engine.js';
import { fakeClock } from '../support/fake-clock.js';
import { openReader } from '../support/images.js';
import { scaled } from '../support/scale.js';
import { brokenAddon, localMeasurer, TUNED_BOUNDS, tunedAnswers } from '../support/tuning.js';

/** The first 60 of 200 have each number of questions three times, and three that are as long as a wave. */
const COUNT = scaled({ short: 16, long: 60 });
/** For devices that are refused. */
const REFUSED = 16;
const REPEATS = scaled({ short: 4, long: 20 });
const SHAPE = { layers: 2, globalEvery: 2 };
/** With the vocabulary of the tests, in which a word has twice as many tokens as in that of the embedded model. */
const FIRST_TOKENS_MAX = 4_000;

/** What tuning says of a device. */
const tuned = (t: Test, device: Addon) => {
  const model = openTiny(t.testdir(), SHAPE);
  return tunedAnswers(model, localMeasurer(t, model, device, { prompts: REFUSED, repeats: 4 }));
};

test('the fixed prompts are the same each time, of 1 to 16 questions, and up to a wave long', (t) => {
  const model = openTiny(t.testdir(), SHAPE);
  const plans = fixedPlans(model, TUNED_BOUNDS);
  t.equal(plans.length, PROMPTS);
  t.strictSame(fixedPlans(model, TUNED_BOUNDS, 20), plans.slice(0, 20));
  t.strictSame(
    [...new Set(plans.map(({ suffixes }) => suffixes.length))],
    Array.from({ length: 16 }, (_, at) => at + 1),
  );
  const longest = Math.max(...plans.map(longestPrompt));
  t.ok(longest <= TUNED_BOUNDS.waveTokens && longest > TUNED_BOUNDS.waveTokens * 0.7, `${longest}`);
  t.ok(plans.every((plan) => planCells(plan) <= TUNED_BOUNDS.cells));
  t.ok(plans.every((plan) => longestPrompt(plan) <= model.contextLength));
  const first = fixedPlans(model, { ...TUNED_BOUNDS, waveTokens: 2_048 }, COMPARED_MIN);
  const tokens = first.reduce((sum, plan) => sum + planCells(plan), 0);
  t.ok(tokens < FIRST_TOKENS_MAX, `a CPU computes at least ${tokens} tokens`);
  t.equal(new Set(plans.map(({ prefixKey }) => prefixKey)).size, PROMPTS);
  t.end();
});

test('prompts for a model that reads images have some', (t) => {
  const { model, encoder } = openReader(t.testdir(), 'gemma4v');
  t.ok(encoder);
  const plans = fixedPlans(model, TUNED_BOUNDS, 8);
  t.strictSame(
    plans.map(({ images }) => images.length),
    [1, 0, 0, 0, 1, 0, 0, 0],
  );
  t.end();
});

test('a device that computes as the CPU does is not refused', async (t) => {
  const model = openTiny(t.testdir(), SHAPE);
  const measurer = localMeasurer(t, model, addon, { prompts: COUNT, repeats: REPEATS });
  const reference = await measurer.reference(1_000);
  const numerics = judgeNumerics(reference, await measurer.answers(COUNT), SHAPE.layers);
  t.strictSame(numerics.refusals, []);
  t.equal(numerics.prompts, COUNT);
  t.equal(numerics.alone.largest, 0);
  t.ok(numerics.together.largest < differenceBounds(SHAPE.layers).largest);
  t.match(numerics.repeated, { times: REPEATS, variants: 1, alone: { largest: 0, changed: 0 } });
});

test('logits that are not numbers, equal ones, and wrong ones are refused with the reason', async (t) => {
  const nan = await tuned(
    t,
    brokenAddon((logits) => logits.fill(Number.NaN)),
  );
  t.match(nan.refusals, [/^the logits of \d+ of \d+ questions are not numbers$/]);
  const zeros = await tuned(
    t,
    brokenAddon((logits) => logits.fill(0)),
  );
  t.match(zeros.refusals[0], /^the logits of (\d+) of \1 questions are the same for all options/);
  const wrong = await tuned(
    t,
    brokenAddon((logits) => logits.map((value) => -value)),
  );
  t.match(
    wrong.refusals[0],
    /^asked alone, its probabilities are up to 0\.\d+ from those of the CPU \(at most 0\.05/,
  );
});

test('no device is judged by answers of the CPU that are not numbers', (t) => {
  const answers = (value: number): Answers =>
    Array.from({ length: COMPARED_MIN }, () => [Float32Array.of(value, -value)]);
  const found = (value: number) => {
    const all = answers(value);
    return { alone: all, together: all, repeated: { alone: all.slice(0, 2), together: all.slice(0, 2) } };
  };
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
    const reference = [...answers(1).slice(1), [Float32Array.of(value, 0)]];
    t.match(judgeNumerics(reference, found(9), 4).refusals, [
      /^on the CPU, the logits of 1 of 16 questions are not numbers, .* the CPU computes wrongly$/,
    ]);
  }
  t.equal(judgeNumerics(answers(1), found(-9), 4).refusals.length, 2);
  t.end();
});

test('answers that change from run to run are refused with the reason', async (t) => {
  let decodes = 0;
  const drifting = brokenAddon((logits) => {
    decodes += 1;
    return logits.map((value, at) => value + (at % 2) * (decodes % 3) * 1e-4);
  });
  const { refusals } = await tuned(t, drifting);
  t.match(refusals, [/^it gave \d+ different answers to the same request in \d+ repeats, up to \S+ apart$/]);
});

test('a device that ends its process, or reports an error, is refused with the reason', async (t) => {
  const place = { device: '', bounds: TUNED_BOUNDS, threads: 1, backend: 'cpu' as const };
  const missing = { ...place, build: buildOf('/missing.gguf') };
  const model = openTiny(t.testdir(), SHAPE);
  const measurer = localMeasurer(t, model, addon, { prompts: REFUSED, repeats: 1 });
  const { numerics, refusals } = await tunedAnswers(model, {
    ...measurer,
    answers: (count) => probeBackend(missing, { kind: 'answers', count }, 60_000),
  });
  t.equal(numerics, null);
  t.match(refusals, [/^it gave no answers: \/missing\.gguf: /]);
});

for (const layers of [4, 48]) {
  test(`the bounds of the differences: at the limit and beyond, ${layers} layers`, (t) => {
    const bounds = differenceBounds(layers);
    const plain: Answers = Array.from({ length: COMPARED_MIN }, () => [Float32Array.of(0, 1)]);
    const p = 1 / (1 + Math.E);
    /** Two options, the first of which has this probability. */
    const logits = (first: number) => Float32Array.of(Math.log(first / (1 - first)), 0);
    const moved = (by: number): Answers => [[logits(p + by)], ...plain.slice(1)];
    const judged = (alone: Answers, reference = plain) =>
      judgeNumerics(
        reference,
        { alone, together: reference, repeated: { alone: plain, together: plain } },
        layers,
      ).refusals;
    t.strictSame(judged(plain), []);
    t.strictSame(judged(moved(bounds.largest - 1e-6)), []);
    t.match(judged(moved(bounds.largest + 1e-6)), [/^asked alone, its probabilities/]);
    const all = (by: number): Answers => plain.map(() => [logits(p + by)]);
    t.strictSame(judged(all(bounds.mean - 1e-6)), []);
    t.match(judged(all(bounds.mean + 1e-6)), [/^asked alone/]);
    const few = plain.slice(1);
    t.match(judged(few, few), [/^only 15 prompts could be compared .* at least 16 are needed$/]);
    t.end();
  });
}

test('the bounds of the differences grow with the square root of the layers', (t) => {
  t.strictSame(differenceBounds(4), { largest: 0.05, mean: 0.01 });
  t.strictSame(differenceBounds(2), differenceBounds(4));
  t.strictSame(differenceBounds(16), { largest: 0.1, mean: 0.02 });
  t.end();
});

test('the CPU answers at least as many prompts as needed, and as many as the time allows', (t) => {
  const model = openTiny(t.testdir(), SHAPE);
  const probe = openProbe(addon, model, { device: '', bounds: TUNED_BOUNDS, threads: 1 });
  t.teardown(() => probe.close());
  const plans = fixedPlans(model, TUNED_BOUNDS, 4);
  const clock = fakeClock();
  const slow = {
    ...probe,
    alone(plan: Parameters<typeof probe.alone>[0]) {
      clock.advance(10);
      return probe.alone(plan);
    },
  };
  const counted = (least: number, ms: number) => measureReference(slow, plans, { least, ms, clock }).length;
  t.equal(counted(2, 0), 2);
  t.equal(counted(1, 20), 2);
  t.equal(counted(1, 21), 3);
  t.equal(counted(1, 1_000), 4);
  t.end();
});
