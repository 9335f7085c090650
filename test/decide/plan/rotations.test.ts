import { test } from 'tap';
import { ApiError, LIMITS } from '../../../src/api/index.js';
import type { DecideRequest, Question } from '../../../src/decide/decide-types.js';
import { NO_DIAGNOSTICS } from '../../../src/decide/diagnostics.js';
import { planRequest } from '../../../src/decide/plan.js';
import { findImageUses } from '../../../src/decide/references/find-uses.js';
import { requireFewPrompts, rotated, rotationsOf } from '../../../src/decide/rotations.js';
import { BUILT_IN_FORMATS, imageAt, LABEL_MASS } from '../../../src/engine/index.js';
import { read } from '../../support/decide/bodies.js';
import { choiceOf, NOUL, scoreOf } from '../../support/decide/questions.js';
import { openTiny } from '../../support/engine.js';

const READING = { kind: 'gemma4v', begin: 5, end: 6, side: 48, width: 64, encodeTokensPerToken: 1 };
const labels = (count: number) => Array.from({ length: count }, (_, at) => `label ${at}`);

test('orders are evenly spaced, as many as there are labels at most', async (t) => {
  t.strictSame(rotationsOf(choiceOf(...labels(8)), 2), [0, 4]);
  t.strictSame(rotationsOf(choiceOf(...labels(8)), 3), [0, 2, 5]);
  t.strictSame(rotationsOf(choiceOf(...labels(3)), 26), [0, 1, 2]);
  t.strictSame(rotationsOf(choiceOf('only'), 4), [0]);
  t.strictSame(rotationsOf(choiceOf(...labels(4)), 1), [0]);
  t.strictSame([rotationsOf(NOUL, 4), rotationsOf(scoreOf('a', 'b', 'c'), 4)], [[0], [0]]);
  for (const count of [2, 5, 26]) {
    const all = rotationsOf(choiceOf(...labels(count)), count);
    t.strictSame(
      all,
      all.map((_, at) => at),
      `${count}: every rotation once`,
    );
  }
});

/** The same request with the options of its questions rotated. */
const rotate = (request: DecideRequest, by: number): DecideRequest => ({
  ...request,
  questions: request.questions.map((question) => ({
    ...question,
    options: rotated(question.options, by % question.options.length),
  })),
});

for (const profile of Object.keys(BUILT_IN_FORMATS)) {
  test(`each order is the prompt of a question with permuted options: ${profile}`, async (t) => {
    const model = openTiny(t.testdir(), {}, { profile });
    const criteria = { billing: 'payments <a>', '10': null, sales: 'new "customers"', other: null };
    const request = read(
      JSON.stringify({
        state: { text: 'charged twice' },
        questions: { c: { type: 'choice', instructions: 'Which team?', criteria } },
      }),
    );
    for (const count of [1, 2, 3, 4, 9]) {
      const { plan, orders, inputTokens } = planRequest(request, model, undefined, {
        ...NO_DIAGNOSTICS,
        optionRotations: count,
      });
      const rotations = rotationsOf(request.questions[0] as Question, count);
      t.strictSame(orders, [rotations.length]);
      t.equal(plan.suffixes.length, rotations.length);
      for (const [at, by] of rotations.entries()) {
        const alone = planRequest(rotate(request, by), model).plan;
        const [expected] = alone.suffixes;
        t.strictSame(plan.suffixes[at]?.tokens, expected?.tokens);
        t.strictSame(plan.prefix, alone.prefix);
        t.strictSame(
          Array.from(rotated(Array.from(plan.suffixes[at]?.options ?? []), by)),
          Array.from(expected?.options ?? []),
          'labels in the order of the options as sent',
        );
      }
      const lengths = plan.suffixes.map(({ tokens }) => tokens.length);
      t.equal(
        inputTokens,
        lengths.reduce((sum, length) => sum + length, plan.prefix.length),
        'all are billed',
      );
    }
  });
}

test('only choices have several orders, and the suffixes follow the questions', async (t) => {
  const model = openTiny(t.testdir(), {}, { profile: 'letters' });
  const request = read(
    JSON.stringify({
      state: 'x',
      questions: {
        n: { type: 'noul' },
        c: { type: 'choice', criteria: ['a', 'b', 'c'] },
        s: { type: 'score', criteria: ['low', 'high'] },
        d: { type: 'choice', criteria: ['only'] },
      },
    }),
  );
  const { plan, orders } = planRequest(request, model, undefined, { ...NO_DIAGNOSTICS, optionRotations: 2 });
  t.strictSame(orders, [1, 2, 1, 1]);
  t.strictSame(
    plan.suffixes.map(({ options }) => options.length),
    [2, 3, 3, 2, 1],
  );
});

test('a label mass is asked for after the options of every prompt', async (t) => {
  const model = openTiny(t.testdir(), {}, { profile: 'letters' });
  const request = read(
    JSON.stringify({
      state: 'x',
      questions: { n: { type: 'noul' }, c: { type: 'choice', criteria: ['a', 'b', 'c'] } },
    }),
  );
  const asked = { ...NO_DIAGNOSTICS, optionRotations: 2 };
  const plain = planRequest(request, model, undefined, asked);
  const { plan, inputTokens } = planRequest(request, model, undefined, { ...asked, labelMass: true });
  t.equal(inputTokens, plain.inputTokens);
  t.strictSame(
    plan.suffixes.map(({ options }) => [...options]),
    plain.plan.suffixes.map(({ options }) => [...options, LABEL_MASS]),
  );
});

test('images rotate with the descriptions that show them', async (t) => {
  const model = { ...openTiny(t.testdir(), {}, { profile: 'letters' }), images: READING };
  const image = { format: 'png', data_base64: '' };
  const request = read(
    JSON.stringify({
      state: 'x',
      questions: { c: { type: 'choice', criteria: { a: 'cat', b: 'dog', c: 'no picture' } } },
      assets: { cat: image, dog: image },
    }),
  );
  const images = ['cat', 'dog'].map((key) => ({ width: 48, height: 48, rgb: new Uint8Array(), key }));
  const shown = { uses: findImageUses(request), images };
  const { plan } = planRequest(request, model, shown, { ...NO_DIAGNOSTICS, optionRotations: 3 });
  const seen = plan.suffixes.map(({ tokens }) => Array.from(tokens, imageAt).filter((at) => at >= 0));
  t.strictSame(seen, [
    [0, 1],
    [1, 0],
    [0, 1],
  ]);
});

test('the prompts of a request with several orders are bounded', async (t) => {
  // 15 choices in 26 orders, and one in 10.
  const most = [...Array.from({ length: 15 }, () => choiceOf(...labels(26))), choiceOf(...labels(10))];
  requireFewPrompts(most, LIMITS.optionRotations, 'header');
  const refused = t.throws(() => requireFewPrompts([...most, NOUL], LIMITS.optionRotations, 'header'));
  t.ok(refused instanceof ApiError);
  t.match(refused, { type: 'invalid_request', message: /^`header`: 26 rotations .* 401 prompts; .* 400 / });
  requireFewPrompts([...most, NOUL], 1, 'header');
});
