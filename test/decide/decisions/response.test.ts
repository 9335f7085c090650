import { test } from 'tap';
import { softmax } from '../../../src/base/index.js';
import { commit } from '../../../src/decide/answers/answer.js';
import { roundProbabilities } from '../../../src/decide/answers/probabilities.js';
import { decisionsJson } from '../../../src/decide/decisions/decisions-response.js';
import type { Question } from '../../../src/decide/index.js';
import { check, withInput } from '../../support/decide/decisions.js';

const USAGE = { inputTokens: 40, outputTokens: 3, cachedTokens: 12 };

const questionsOf = (...questions: object[]) =>
  check({ ...withInput('x'), questions }).request.questions as [Question, ...Question[]];

const responseTo = (questions: readonly Question[], units: ReadonlyArray<readonly number[] | null>) =>
  decisionsJson({ build: 'm-20260101', questions, units, usage: USAGE, extras: [] });

test('a response has its fields in a fixed order, answers in the order of the questions', async (t) => {
  const questions = questionsOf(
    { type: 'score', name: 's', levels: [{ label: 'low' }, { label: 'high', description: 'now' }] },
    { type: 'predicate' },
    { type: 'choice', name: 'c', choices: [{ value: 'a' }, { value: 'b' }] },
  );
  t.equal(
    responseTo(questions, [
      [2_500, 7_500],
      [6_000, 4_000],
      [9_000, 1_000],
    ]),
    '{"model":"m-20260101","answers":[' +
      '{"type":"score","name":"s","score":0.75,"confidence":0.5,"probabilities":[{"value":0,"label":"low","probability":0.25},{"value":1,"label":"high","probability":0.75}]},' +
      '{"type":"predicate","name":null,"probability":0.6},' +
      '{"type":"choice","name":"c","choice":"a","confidence":0.8,"probabilities":[{"value":"a","probability":0.9},{"value":"b","probability":0.1}]}' +
      '],"usage":{"input_tokens":40,"input_tokens_details":{"cached_tokens":12,"cache_write_tokens":0},"output_tokens":3,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":43}}',
  );
});

test('on request, answers have raw probabilities by position and the label mass; a refusal has neither', async (t) => {
  const questions = questionsOf(
    { type: 'predicate' },
    { type: 'choice', choices: [{ value: true }, { value: 'true' }] },
    { type: 'predicate' },
  );
  const none = { raw: null, labelMass: null };
  const extras = [
    { raw: [['true', 0.61234] as const, ['false', 0.38766] as const], labelMass: 1.5e-7 },
    { raw: [['true', 0.5] as const, ['true', 0.5] as const], labelMass: null },
    none,
  ];
  const units = [[6_123, 3_877], [5_000, 5_000], null];
  const given = { build: 'm-20260101', questions, units, usage: USAGE };
  const { answers } = JSON.parse(decisionsJson({ ...given, extras }));
  const plain = JSON.parse(decisionsJson({ ...given, extras: [none, none, none] })).answers;
  t.strictSame(answers, [
    { ...plain[0], raw_probabilities: [0.61234, 0.38766], label_mass: 1.5e-7 },
    { ...plain[1], raw_probabilities: [0.5, 0.5] },
    { type: 'refusal', name: null },
  ]);
});

test('a predicate is not committed', async (t) => {
  const [question] = questionsOf({ type: 'predicate' });
  for (const yes of [0, 1, 4_999, 5_000, 7_999, 10_000]) {
    const { answers } = JSON.parse(responseTo([question], [[yes, 10_000 - yes]]));
    t.equal(answers[0].probability, yes / 10_000);
    t.ok(commit(yes) === yes || (commit(yes) !== yes && yes > 2_000 && yes < 8_000));
  }
});

test('a choice tells true from "true", by value and by position', async (t) => {
  const [question] = questionsOf({
    type: 'choice',
    choices: [{ value: 'true' }, { value: true }, { value: 'x' }],
  });
  const answerTo = (units: number[]) => JSON.parse(responseTo([question], [units])).answers[0];
  t.equal(answerTo([6_000, 3_000, 1_000]).choice, 'true');
  t.equal(answerTo([3_000, 6_000, 1_000]).choice, true);
  t.equal(answerTo([4_500, 4_500, 1_000]).choice, 'true', 'the earlier one of equal ones');
  t.strictSame(answerTo([3_000, 6_000, 1_000]).probabilities, [
    { value: 'true', probability: 0.3 },
    { value: true, probability: 0.6 },
    { value: 'x', probability: 0.1 },
  ]);
});

test('a question that does not fit is a refusal with its name', async (t) => {
  const questions = questionsOf({ type: 'predicate', name: 'n' }, { type: 'predicate' });
  t.strictSame(JSON.parse(responseTo(questions, [null, null])).answers, [
    { type: 'refusal', name: 'n' },
    { type: 'refusal', name: null },
  ]);
});

test('255 probabilities sum to 1', async (t) => {
  const choices = Array.from({ length: 255 }, (_, at) => ({ value: `v${at}` }));
  const [question] = questionsOf({ type: 'choice', choices });
  const logits = Float32Array.from(choices, (_, at) => Math.sin(at));
  const units = roundProbabilities(softmax(logits, 1));
  const [answer] = JSON.parse(responseTo([question], [units])).answers;
  const sum = answer.probabilities.reduce(
    (all: number, { probability }: { probability: number }) => all + Math.round(probability * 10_000),
    0,
  );
  t.equal(sum, 10_000);
  const best = units.indexOf(Math.max(...units));
  t.equal(answer.choice, `v${best}`);
});
