import { test } from 'tap';
import { type Random, random } from '../../src/base/index.js';
import { readManifest } from '../../src/engine/index.js';
import { GROUPS_MIN, QUESTIONS_MIN, WRONG_MIN } from '../../src/evaluation/fit/fit-type.js';
import {
  type AnsweredQuestion,
  fitTemperatures as fitTo,
  improved,
  temperaturesInForce,
  writeTemperatures,
} from '../../src/evaluation/index.js';
import {
  FOLDS,
  fitTemperature,
  foldsOf,
  lossAt,
  sampleOf,
  TEMPERATURE_MAX,
} from '../../src/statistics/index.js';
import { answeredQuestion, drawn, normal, softmax } from '../support/evaluation/synthetic.js';
import { seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { modelsFolder } from '../support/server.js';

const RUNS = scaled({ short: 1, long: 2 });
/** Of four options or more. The standard error of a fitted temperature is then at most 1 %. */
const QUESTIONS = scaled({ short: 20_000, long: 40_000 });
/** Two options tell less. */
const NOULS = 2 * QUESTIONS;
const OPTIONS = { seed: 1, resamples: 40 };

interface Population {
  readonly type?: AnsweredQuestion['type'];
  readonly options: number;
  /** What the answers were made with. */
  readonly temperature: number;
  /** What they should have been made with. */
  readonly calibrated: number;
  readonly split?: AnsweredQuestion['split'];
}

/** Questions of a model that is calibrated at a known temperature and answered with another one. */
function population(next: Random, count: number, { type = 'choice', ...model }: Population) {
  return Array.from({ length: count }, (_, id) => {
    const logits = Array.from({ length: model.options }, () => 2.5 * model.calibrated * normal(next));
    const at = (temperature: number) => softmax(logits.map((logit) => logit / temperature));
    const raw = at(model.temperature);
    const own = { type, raw, temperature: model.temperature, split: model.split ?? null };
    return answeredQuestion(`${type} ${model.options} ${id}`, raw, drawn(next, at(model.calibrated)), own);
  });
}

/** A fit that is compared with the temperatures of the answers. */
const fitTemperatures = (answered: readonly AnsweredQuestion[], options: typeof OPTIONS) =>
  fitTo(answered, options, temperaturesInForce(undefined));

const between = (next: Random, low: number, high: number) => low * (high / low) ** next.number();

test('a wrong temperature is found within 5 %, for each type', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  for (let run = 0; run < RUNS; run += 1) {
    const wrong = (['noul', 'choice', 'score'] as const).map((type) => ({
      ...{ type, options: type === 'noul' ? 2 : 4 },
      calibrated: between(next, 0.5, 3),
      temperature: between(next, 0.5, 3),
    }));
    const answered = wrong.flatMap((each) => population(next, each.options === 2 ? NOULS : QUESTIONS, each));
    const { refused, types } = fitTemperatures(answered, OPTIONS);
    t.equal(refused, null);
    for (const { type, calibrated, temperature } of wrong) {
      const found = types.find((each) => each.type === type)?.temperatures[type] ?? Number.NaN;
      const sentence = `${type}: ${calibrated} of ${temperature}: found ${found}`;
      t.ok(Math.abs(found / calibrated - 1) < 0.05, sentence);
    }
  }
});

test('option counts that need another temperature get one of their own', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const answered = [
    ...population(next, QUESTIONS, { options: 4, temperature: 1, calibrated: 1.3 }),
    ...population(next, QUESTIONS, { options: 8, temperature: 1, calibrated: 2 }),
  ];
  const [fit] = fitTemperatures(answered, OPTIONS).types;
  const { choice, ...ranges } = fit?.temperatures ?? {};
  t.ok(choice && choice > 1.3 && choice < 2, `choice ${choice}`);
  t.strictSame(Object.keys(ranges), ['choice.3_5', 'choice.6_10']);
  t.ok(Math.abs((ranges['choice.3_5'] as number) / 1.3 - 1) < 0.05);
  t.ok(Math.abs((ranges['choice.6_10'] as number) / 2 - 1) < 0.05);
});

test('answers that are calibrated already are not improved, and option counts share a temperature', async (t) => {
  const next = random(3);
  const same = { temperature: 1.7, calibrated: 1.7 };
  const answered = [2, 4, 8].flatMap((options) => population(next, 1_000, { options, ...same }));
  const fit = fitTemperatures(answered, OPTIONS);
  const [choice] = fit.types;
  t.equal(choice?.cross_validated?.improves, false);
  t.strictSame(Object.keys(choice?.temperatures ?? {}), ['choice']);
  t.strictSame(improved(fit), {});
});

test('too little data is refused with the numbers, one below each bound', async (t) => {
  const next = random(4);
  const enough = population(next, QUESTIONS_MIN, { options: 4, temperature: 1, calibrated: 2 });
  const refusal = (answered: readonly AnsweredQuestion[]) =>
    fitTemperatures(answered, OPTIONS).types[0]?.refused;
  t.equal(refusal(enough), null);
  t.match(refusal(enough.slice(1)), `${QUESTIONS_MIN - 1} questions, at least ${QUESTIONS_MIN} are needed`);
  const answeredRight = (count: number) =>
    enough.map((question, at) => {
      const largest = question.probabilities.indexOf(Math.max(...question.probabilities));
      return { ...question, expected: at < count ? (largest + 1) % 4 : largest };
    });
  t.equal(refusal(answeredRight(WRONG_MIN)), null);
  t.match(refusal(answeredRight(WRONG_MIN - 1)), `${WRONG_MIN - 1} wrong answers, at least ${WRONG_MIN}`);
  const grouped = (groups: number) =>
    enough.map((question, at) => ({ ...question, group: `g${at % groups}` }));
  t.equal(refusal(grouped(GROUPS_MIN)), null);
  t.match(refusal(grouped(GROUPS_MIN - 1)), `${GROUPS_MIN - 1} groups, at least ${GROUPS_MIN}`);
});

test('answers that do not depend on the question are refused', async (t) => {
  const next = random(5);
  const answered = population(next, 2_000, { options: 4, temperature: 1, calibrated: 1 }).map((question) => ({
    ...question,
    expected: next.integer(4),
  }));
  const [fit] = fitTemperatures(answered, OPTIONS).types;
  t.match(fit, { refused: /outside 0.1 to 10: the answers are unrelated/, temperatures: {} });
});

test('data that cannot be used are refused', async (t) => {
  const answered = population(random(6), 400, { options: 2, temperature: 1, calibrated: 2 });
  const refusal = (change: (question: AnsweredQuestion, at: number) => Partial<AnsweredQuestion>) =>
    fitTemperatures(
      answered.map((question, at) => ({ ...question, ...change(question, at) })),
      OPTIONS,
    ).refused;
  t.equal(
    refusal(() => ({})),
    null,
  );
  t.match(
    refusal((_, at) => (at === 0 ? { committed: true } : {})),
    /^1 noul questions have only the committed/,
  );
  t.match(
    refusal((_, at) => (at < 2 ? { raw: null } : {})),
    /^2 answers have no unrounded probabilities/,
  );
  t.match(
    refusal(() => ({ temperature: null })),
    /^400 answers have no unrounded .* known temperature/,
  );
  t.match(
    refusal((_, at) => ({ model: `m${at % 2}` })),
    /^2 builds answered \(m0, m1\)/,
  );
  t.match(
    refusal(() => ({ split: 'held_out' })),
    /never fitted on the held-out split/,
  );
});

test('only the development split is fitted; the held-out one is measured', async (t) => {
  const next = random(7);
  const model = { options: 3, temperature: 1 };
  const answered = [
    ...population(next, 4_000, { ...model, calibrated: 2, split: 'development' }),
    ...population(next, 4_000, { ...model, calibrated: 0.6, split: 'held_out' }),
    ...population(next, 4_000, { ...model, calibrated: 0.6 }),
  ];
  const { types, held_out: held } = fitTemperatures(answered, OPTIONS);
  const choice = types[0]?.temperatures.choice as number;
  t.ok(Math.abs(choice / 2 - 1) < 0.1, `choice ${choice}`);
  t.equal(held?.questions, 4_000);
  const heldOut = answered.slice(4_000, 8_000);
  const losses = (temperature: number) =>
    heldOut
      .map(({ raw, expected }) => lossAt(sampleOf(raw as number[], 1, expected), temperature))
      .reduce((a, b) => a + b, 0) / heldOut.length;
  t.ok(Math.abs((held?.before ?? 0) - losses(1)) < 1e-9);
  t.ok(Math.abs((held?.after ?? 0) - losses(choice)) < 1e-9);
});

test('the log loss of a question is measured with the temperature of the other folds', (t) => {
  const answered = population(random(9), 400, { options: 3, temperature: 1, calibrated: 1.5 });
  const samples = answered.map(({ raw, expected }) => sampleOf(raw as number[], 1, expected));
  const folds = foldsOf([...answered.keys()], OPTIONS.seed);
  const losses = samples.map((sample, at) =>
    lossAt(sample, fitTemperature(samples.filter((_, other) => folds[other] !== folds[at]))),
  );
  const [fit] = fitTemperatures(answered, OPTIONS).types;
  const { before, after } = fit?.cross_validated ?? { before: Number.NaN, after: Number.NaN };
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  t.ok(Math.abs(after - mean(losses)) < 1e-9, `${after}`);
  t.ok(Math.abs(before - mean(samples.map(({ loss }) => loss))) < 1e-9, `${before}`);
  t.end();
});

test('a fit is compared with the temperatures in force, whatever those of the answers were', async (t) => {
  const id = 'tiny-20260101';
  const split = (name: 'development' | 'held_out', seed: number) =>
    population(random(seed), 1_000, { options: 4, temperature: 1, calibrated: 2, split: name });
  const answered = [...split('development', 10), ...split('held_out', 11)];
  const fitWith = (temperatures: Readonly<Record<string, number>>) =>
    fitTo(answered, OPTIONS, temperaturesInForce({ id, temperatures }));
  const lossesAt = (temperature: number, part: readonly AnsweredQuestion[]) =>
    part
      .map(({ raw, expected }) => lossAt(sampleOf(raw as number[], 1, expected), temperature))
      .reduce((a, b) => a + b, 0) / part.length;
  const check = (temperatures: Readonly<Record<string, number>>, inForce: number, improves: boolean) => {
    const fit = fitWith(temperatures);
    const { before = Number.NaN, improves: found } = fit.types[0]?.cross_validated ?? {};
    t.ok(Math.abs(before - lossesAt(inForce, answered.slice(0, 1_000))) < 1e-9, `${before}`);
    t.equal(found, improves);
    if (improves)
      t.ok(Math.abs((fit.held_out?.before ?? 0) - lossesAt(inForce, answered.slice(1_000))) < 1e-9);
    return fit;
  };
  // The answers were given with 1; 2 is right.
  const fitted = improved(check({}, 1, true));
  check({ noul: 7 }, 1, true);
  check({ choice: 5 }, 5, true);
  check({ choice: 5, 'choice.3_5': 2 }, 2, false);
  check(fitted, fitted.choice as number, false);
  t.throws(() => fitWith({ choice: 0 }), {
    name: 'Error',
    message:
      /^the manifest entry of tiny-20260101 cannot be used: its temperature choice is not a positive number\.$/,
  });
});

test('a group never spans folds, and the folds are of about equal size', async (t) => {
  const next = random(8);
  const clusters = Array.from({ length: 3_000 }, () => Math.floor(60 * next.number() ** 2));
  const folds = foldsOf(clusters, 1);
  const foldOf = new Map<number, number>();
  for (const [at, cluster] of clusters.entries()) {
    if (foldOf.has(cluster) && foldOf.get(cluster) !== folds[at]) t.fail(`group ${cluster} spans folds`);
    foldOf.set(cluster, folds[at] as number);
  }
  const sizes = Array.from({ length: FOLDS }, (_, fold) => folds.filter((each) => each === fold).length);
  t.ok(Math.max(...sizes) - Math.min(...sizes) < 100, sizes.join(', '));
  t.strictSame(foldsOf(clusters, 1), folds);
  t.notSame(foldsOf(clusters.slice(0, 50), 2), foldsOf(clusters.slice(0, 50), 1));
});

test('the fitted temperature has the smallest loss, also for probabilities that underflowed', (t) => {
  const samples = [
    sampleOf([1, 0], 1, 0),
    sampleOf([1, 0], 1, 1),
    ...Array.from({ length: 9 }, () => sampleOf([0.9, 0.1], 1, 0)),
  ];
  t.equal(fitTemperature(samples), TEMPERATURE_MAX);
  const ordinary = [0, 0, 0, 1].map((expected) => sampleOf([0.9, 0.1], 2, expected));
  // p = 0.75 is right for three of four: 2 ln 9 / T = ln 3.
  t.ok(Math.abs(fitTemperature(ordinary) - 4) < 1e-5);
  t.equal(fitTemperature([sampleOf([0.9, 0.1], 1, 0)]), 0.1);
  t.end();
});

test('fitted temperatures replace those of their types in the manifest, and nothing else', async (t) => {
  const models = modelsFolder(t.testdir());
  await writeTemperatures(models, 'tiny-20260101', { noul: 2, choice: 3, 'choice.11': 4 });
  const before = await readManifest(models);
  await writeTemperatures(models, 'tiny-20260101', { choice: 1.5, 'choice.3_5': 1.6 });
  const after = await readManifest(models);
  const build = before.models[0]?.builds[0];
  t.strictSame(build?.temperatures, { noul: 2, choice: 3, 'choice.11': 4 });
  t.strictSame(after.models[0]?.builds[0]?.temperatures, { noul: 2, choice: 1.5, 'choice.3_5': 1.6 });
  t.strictSame({ ...after.models[0]?.builds[0], temperatures: {} }, { ...build, temperatures: {} });
  await t.rejects(writeTemperatures(models, 'tiny-20260102', {}), {
    message: `fit: the manifest of ${models} has no build tiny-20260102. Nothing was written.`,
  });
});
