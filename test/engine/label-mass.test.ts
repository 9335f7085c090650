import { test } from 'tap';
import { EXACT, LABEL_MASS, type OpenModel, type Plan, runWave } from '../../src/engine/index.js';
import { answerAll, COLD, FORMS, never, openContext, openTiny, planOf } from '../support/engine.js';
import { random } from '../support/random.js';

/** The largest difference between a logarithm in single precision and one in double precision. */
const TOLERANCE = 1e-6;

const asked = (options: Int32Array) => Int32Array.of(...options, LABEL_MASS);

/** A prefix of 40 tokens and suffixes of a few. */
function randomPlan(model: OpenModel, suffixes: number, seed: number): Plan {
  const next = random(seed);
  const tokens = (length: number) => Int32Array.from({ length }, () => 300 + next.integer(400));
  return planOf(
    tokens(40),
    Array.from({ length: suffixes }, (_, at) => ({
      tokens: tokens(1 + at * 3),
      options: model.profile.labels.slice(0, 2 + at),
    })),
  );
}

/** log(p) of some tokens together, from the logits of all. */
function logProbability(row: Float32Array, tokens: Int32Array): number {
  const sum = (logits: readonly number[]) => logits.reduce((total, logit) => total + Math.exp(logit), 0);
  return Math.log(sum([...tokens].map((token) => row[token] as number)) / sum([...row]));
}

test('the label mass is that of the whole row of logits, and the logits of the options stay the same', (t) => {
  const model = openTiny(t.testdir());
  const all = Int32Array.from({ length: model.description.vocabularySize }, (_, token) => token);
  const plan = randomPlan(model, 6, 1);
  const withOptions = (choose: (options: Int32Array) => Int32Array): Plan => ({
    ...plan,
    suffixes: plan.suffixes.map(({ tokens, options }) => ({ tokens, options: choose(options) })),
  });
  const context = openContext(model);
  for (const sharing of [FORMS.coupled, FORMS.copied, EXACT]) {
    const answer = (each: Plan) => answerAll(context, [each], sharing)[0] as Float32Array[];
    const rows = answer(withOptions(() => all));
    const plain = answer(plan);
    const found = answer(withOptions(asked));
    for (const [index, { options }] of plan.suffixes.entries()) {
      const logits = found[index] as Float32Array;
      t.equal(logits.length, options.length + 1);
      t.strictSame(logits.slice(0, -1), plain[index]);
      const wanted = logProbability(rows[index] as Float32Array, options);
      const difference = Math.abs((logits.at(-1) as number) - wanted);
      t.ok(difference < TOLERANCE, `${logits.at(-1)}, and ${wanted} from all logits`);
      t.ok(wanted < -0.1, 'the labels do not have everything');
    }
  }
  context.close();
  t.end();
});

test('all tokens together have a probability of 1', (t) => {
  const model = openTiny(t.testdir());
  const all = Int32Array.from({ length: model.description.vocabularySize }, (_, token) => token);
  const context = openContext(model);
  const plan = planOf(Int32Array.of(300, 301), [{ tokens: Int32Array.of(302), options: asked(all) }]);
  const [[logits]] = answerAll(context, [plan]) as [Float32Array[]];
  t.equal(logits?.at(-1), 0);
  context.close();
  t.end();
});

test('plans that differ only in the label mass run together, each with its own answer', (t) => {
  const model = openTiny(t.testdir());
  const context = openContext(model);
  const plain = randomPlan(model, 3, 2);
  const other: Plan = {
    ...plain,
    suffixes: plain.suffixes.map(({ tokens, options }) => ({ tokens, options: asked(options) })),
  };
  const lengths = (plans: readonly Plan[]) =>
    answerAll(context, plans, COLD).map((answer) => answer.map(({ length }) => length));
  t.strictSame(lengths([plain, other]), [
    [2, 3, 4],
    [3, 4, 5],
  ]);
  t.strictSame(lengths([other, plain, other]), [
    [3, 4, 5],
    [2, 3, 4],
    [3, 4, 5],
  ]);
  context.close();
  t.end();
});

test('a slot among others of a decode: only those that ask get the mass', (t) => {
  const model = openTiny(t.testdir());
  const context = openContext(model);
  const [a, b, c] = model.profile.labels as unknown as [number, number, number];
  const stream = (sequence: number, ...options: number[]) => ({
    tokens: Int32Array.of(300, 301 + sequence),
    position: 0,
    sequences: [sequence],
    options: Int32Array.from(options),
  });
  const streams = [stream(0, a, b), stream(1, b, LABEL_MASS), stream(2, c)];
  const bounds = { cells: 64, waveTokens: 64, microBatchTokens: 64, microBatchTokensMin: 64, sequences: 8 };
  const task = { clear: true, images: [], phases: [{ removals: [], copies: [], streams }], removals: [] };
  const results = runWave(context, task, bounds, never());
  t.strictSame(
    results.map(({ length }) => length),
    [2, 2, 1],
  );
  t.ok((results[1]?.[1] as number) < 0);
  context.close();
  t.end();
});
