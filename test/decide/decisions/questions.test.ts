import { test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import { requireLabels } from '../../../src/decide/decisions/decision-questions.js';
import {
  check,
  PREDICATE,
  refusal,
  refusedWith,
  withInput,
  withQuestion,
} from '../../support/decide/decisions.js';

const question = (sent: unknown) => check(withQuestion(sent)).request.questions[0];
const choices = (count: number) => Array.from({ length: count }, (_, at) => ({ value: `v${at}` }));
const levels = (count: number) => Array.from({ length: count }, (_, at) => ({ label: `l${at}` }));

test('questions are a list of 1 to 400', async (t) => {
  const of = (count: number) => ({ ...withInput('x'), questions: Array(count).fill(PREDICATE) });
  t.equal(check(of(LIMITS.decisionQuestions)).request.questions.length, 400);
  t.strictSame(refusedWith(of(LIMITS.decisionQuestions + 1)), ['too_many_questions', 'questions']);
  for (const questions of [undefined, null, [], {}, 'x'])
    t.strictSame(refusedWith({ ...withInput('x'), questions }), ['invalid_questions', 'questions']);
  t.strictSame(refusedWith({ ...withInput('x'), questions: [PREDICATE, 7] }), [
    'invalid_question',
    'questions[1]',
  ]);
});

test('a predicate is a noul question without criteria', async (t) => {
  t.strictSame(question({ type: 'predicate', name: 'n', instructions: 'Is it?' }), {
    name: 'n',
    type: 'noul',
    instructions: 'Is it?',
    options: [
      { key: 'true', name: 'Yes', description: null },
      { key: 'false', name: 'No', description: null },
    ],
    repeats: { name: 'n', values: [] },
  });
});

test('a question without a name, or with null, is unnamed; names need not be unique', async (t) => {
  for (const name of [undefined, null])
    t.match(question({ ...PREDICATE, name }), { repeats: { name: null } });
  t.match(question({ ...PREDICATE, name: '' }), { name: '', repeats: { name: '' } });
  const twice = [PREDICATE, PREDICATE].map((each) => ({ ...each, name: 'same' }));
  t.equal(check({ ...withInput('x'), questions: twice }).request.questions.length, 2);
  t.strictSame(refusedWith(withQuestion({ ...PREDICATE, name: 7 })), [
    'invalid_question',
    'questions[0].name',
  ]);
  const most = LIMITS.questionNameCodePoints;
  t.equal(question({ ...PREDICATE, name: '😀'.repeat(most) })?.name.length, 2 * most);
  t.strictSame(refusedWith(withQuestion({ ...PREDICATE, name: 'n'.repeat(most + 1) })), [
    'invalid_questions',
    'questions[0].name',
  ]);
});

test('the type is one of three', async (t) => {
  for (const type of [undefined, null, 'noul', 'boolean', 7])
    t.strictSame(refusedWith(withQuestion({ type })), ['invalid_type', 'questions[0].type']);
});

test('a choice has values that are strings or booleans, each once', async (t) => {
  const of = (...values: unknown[]) =>
    withQuestion({ type: 'choice', choices: values.map((value) => ({ value })) });
  t.match(check(of('a', true, 'true', false, 'false')).request.questions, [
    {
      options: [{ name: 'a' }, { name: 'true' }, { name: 'true' }, { name: 'false' }, { name: 'false' }],
      repeats: { values: ['a', true, 'true', false, 'false'] },
    },
  ]);
  t.strictSame(refusedWith(of('a', 'b', 'a')), ['invalid_question', 'questions[0].choices[2].value']);
  t.strictSame(refusedWith(of(true, true)), ['invalid_question', 'questions[0].choices[1].value']);
  for (const value of ['', 7, null, undefined, {}, ['a']])
    t.strictSame(refusedWith(of('a', value)), ['invalid_question', 'questions[0].choices[1].value']);
  t.strictSame(refusedWith(withQuestion({ type: 'choice', choices: ['a', 'b'] })), [
    'invalid_question',
    'questions[0].choices[0]',
  ]);
});

test('a choice has 2 to 255 choices', async (t) => {
  const of = (list: unknown) => withQuestion({ type: 'choice', choices: list });
  for (const count of [LIMITS.decisionChoicesMin, LIMITS.decisionChoices])
    t.equal(question({ type: 'choice', choices: choices(count) })?.options.length, count);
  t.strictSame(refusedWith(of(choices(1))), ['invalid_question', 'questions[0].choices']);
  t.strictSame(refusedWith(of(choices(256))), ['too_many_options', 'questions[0].choices']);
  for (const list of [undefined, null, {}, 'x'])
    t.strictSame(refusedWith(of(list)), ['invalid_question', 'questions[0].choices']);
});

test('a score has 2 to 26 levels with labels', async (t) => {
  const of = (list: unknown) => withQuestion({ type: 'score', levels: list });
  for (const count of [LIMITS.scoreLevelsMin, LIMITS.decisionLevels])
    t.equal(question({ type: 'score', levels: levels(count) })?.options.length, count);
  t.strictSame(refusedWith(of(levels(1))), ['invalid_question', 'questions[0].levels']);
  t.strictSame(refusedWith(of(levels(27))), ['too_many_options', 'questions[0].levels']);
  for (const label of ['', 7, null, undefined])
    t.strictSame(refusedWith(of([{ label: 'a' }, { label }])), [
      'invalid_question',
      'questions[0].levels[1].label',
    ]);
});

test('what the model sees of a level', async (t) => {
  t.match(
    question({
      type: 'score',
      levels: [
        { label: '0', description: 'can wait' },
        { label: '1' },
        { label: '3', description: 'now' },
        { label: 'high' },
        { label: 'top', description: null },
        { label: 'x', description: '' },
      ],
    }),
    {
      options: [
        { key: '0', name: 'Level 0', description: 'can wait' },
        { key: '1', name: 'Level 1', description: null },
        { key: '2', description: '3: now' },
        { key: '3', description: 'high' },
        { key: '4', description: 'top' },
        { key: '5', description: 'x: ' },
      ],
      repeats: { values: ['0', '1', '3', 'high', 'top', 'x'] },
    },
  );
});

test('descriptions are strings or null', async (t) => {
  const sent = (description: unknown) => ({
    type: 'choice',
    choices: [{ value: 'a', description }, { value: 'b' }],
  });
  t.match(question(sent('d')), { options: [{ name: 'a', description: 'd' }, { description: null }] });
  t.match(question(sent(null)), { options: [{ description: null }] });
  t.strictSame(refusedWith(withQuestion(sent(7))), [
    'invalid_question',
    'questions[0].choices[0].description',
  ]);
  t.strictSame(
    refusedWith(withQuestion({ type: 'score', levels: [{ label: 'a' }, { label: 'b', description: [] }] })),
    ['invalid_question', 'questions[0].levels[1].description'],
  );
});

test('more options than the model has labels are refused with the number', async (t) => {
  const { questions } = check({
    ...withInput('x'),
    questions: [
      PREDICATE,
      { type: 'choice', choices: choices(26) },
      { type: 'choice', choices: choices(27) },
    ],
  }).request;
  requireLabels(questions, 'b-20260101', 27);
  t.throws(() => requireLabels(questions, 'b-20260101', 26), {
    type: 'too_many_options',
    param: 'questions[2].choices',
    message:
      '`questions[2].choices` has 27 options; the model b-20260101 can answer at most 26 options per question.',
  });
});

test('a message names the place and quotes nothing of the caller', async (t) => {
  const { message } = refusal(
    withQuestion({ type: 'choice', choices: [{ value: 'secret' }, { value: 'secret' }] }),
  );
  t.equal(message, '`questions[0].choices[1].value` is that of an earlier choice.');
});
