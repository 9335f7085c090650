import { test } from 'tap';
import { softmax } from '../../../src/base/index.js';
import {
  answer,
  type ChoiceAnswer,
  type NoulAnswer,
  rawProbabilities,
  type ScoreAnswer,
} from '../../../src/decide/answers/answer.js';
import type { Question } from '../../../src/decide/decide-types.js';
import { choiceOf, logitsOf, NOUL, scoreOf } from '../../support/decide/questions.js';

const noul = (logits: number[], temperature = 1) => answer(NOUL, logits, temperature) as NoulAnswer;
const choice = (question: Question, p: number[]) => answer(question, logitsOf(...p), 1) as ChoiceAnswer;
const score = (question: Question, p: number[]) => answer(question, logitsOf(...p), 1) as ScoreAnswer;

test('noul: an uncertain answer is committed to at least 0.80 of its side', async (t) => {
  for (const [yes, expected] of [
    [0.99, 0.99],
    [0.8, 0.8],
    [0.6, 0.8],
    [0.5, 0.8],
    [0.4999, 0.2],
    [0.3, 0.2],
    [0.2, 0.2],
    [0.01, 0.01],
  ] as const) {
    t.equal(noul(logitsOf(yes, 1 - yes)).noul, expected, String(yes));
  }
});

test('noul: 0.5 is decided on the emitted value', async (t) => {
  t.equal(noul(logitsOf(0.49996, 0.50004)).noul, 0.8);
  t.equal(noul(logitsOf(0.49994, 0.50006)).noul, 0.2);
});

test('raw probabilities are neither rounded nor committed', async (t) => {
  t.strictSame(rawProbabilities(NOUL, softmax([0, 0], 1)), [
    ['true', 0.5],
    ['false', 0.5],
  ]);
  const p = 1 / (1 + Math.exp(-0.1));
  const [first, second] = rawProbabilities(choiceOf('10', 'a'), softmax([1.2, 1], 2));
  t.strictSame([first?.[0], second?.[0]], ['10', 'a']);
  t.ok(Math.abs((first?.[1] ?? 0) - p) < 1e-12);
});

test('the temperature divides the logits', async (t) => {
  const p = 1 / (1 + Math.exp(-2));
  t.equal(noul([8, 4], 2).noul, Math.round(p * 1e4) / 1e4);
});

test('choice: the largest label, its confidence, and every label in order', async (t) => {
  t.strictSame(choice(choiceOf('billing', 'technical', 'sales'), [0.88, 0.12, 0]), {
    type: 'choice',
    choice: 'billing',
    confidence: 0.82,
    probabilities: [
      ['billing', 0.88],
      ['technical', 0.12],
      ['sales', 0],
    ],
  });
});

test('choice: a tie goes to the earlier label', async (t) => {
  t.equal(choice(choiceOf('x', 'b', 'a'), [0.2, 0.4, 0.4]).choice, 'b');
});

test('choice: where all are equal, confidence is 0 but for rounding, never below', async (t) => {
  for (let n = 2; n <= 26; n += 1) {
    const labels = Array.from({ length: n }, (_, index) => `l${index}`);
    const { confidence } = choice(choiceOf(...labels), Array(n).fill(1 / n));
    t.ok(confidence >= 0 && confidence <= 2e-4, `${n}: ${confidence}`);
    t.not(JSON.stringify([confidence]), '[-0]');
  }
});

test('choice: one label is certain', async (t) => {
  t.strictSame(choice(choiceOf('only'), [1]), {
    type: 'choice',
    choice: 'only',
    confidence: 1,
    probabilities: [['only', 1]],
  });
});

test('score: level, expected level, legend and confidence', async (t) => {
  t.strictSame(score(scoreOf('can wait', 'this week', null), [0, 0.03, 0.97]), {
    type: 'score',
    level: 2,
    score: 1.97,
    confidence: 0.955,
    legend: [
      ['0', 'can wait'],
      ['1', 'this week'],
      ['2', 'Level 2'],
    ],
    probabilities: [
      ['0', 0],
      ['1', 0.03],
      ['2', 0.97],
    ],
  });
});

test('score: a tie goes to the lowest level', async (t) => {
  t.equal(score(scoreOf('a', 'b', 'c'), [0.2, 0.4, 0.4]).level, 1);
});

test('score: confidence is 0 rather than negative', async (t) => {
  t.equal(score(scoreOf('a', 'b', 'c'), [0.5, 0, 0.5]).confidence, 0);
});

test('score: one level is certain', async (t) => {
  const only = score(scoreOf('only'), [1]);
  t.equal(only.confidence, 1);
  t.equal(only.score, 0);
});

test('an empty description is a description', async (t) => {
  t.strictSame(score(scoreOf('', null), [0.5, 0.5]).legend, [
    ['0', ''],
    ['1', 'Level 1'],
  ]);
});

test('logits that are not numbers, too few or too many are a failure, never an answer', async (t) => {
  for (const logits of [
    [Number.NaN, 0],
    [0, Number.POSITIVE_INFINITY],
    [Number.NEGATIVE_INFINITY, 0],
    [0],
    [],
  ]) {
    t.throws(() => answer(NOUL, logits, 1), Error, String(logits));
  }
  for (const temperature of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    t.throws(() => answer(NOUL, [0, 0], temperature), Error, String(temperature));
  }
});
