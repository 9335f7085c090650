import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { decisionsBody, fromDecisions } from '../../src/decide/index.js';
import { readResponse } from '../../src/evaluation/read-response.js';

const QUESTIONS = { q: { type: 'noul', instructions: 'Is it?' } };
const written = (request: object | string) =>
  JSON.parse(decisionsBody(Buffer.from(typeof request === 'string' ? request : JSON.stringify(request))));

test('questions of every type in the form of the Decisions API', async (t) => {
  const { model, input, questions } = written({
    state: 'It rains.',
    questions: {
      plain: { type: 'noul' },
      sides: { type: 'noul', instructions: 'Is it?', criteria: { yes: 'it is', no: null } },
      labels: { type: 'choice', instructions: 'Which?', criteria: ['a', 'true'] },
      described: { type: 'choice', criteria: { a: 'the first', ['__proto__']: null, b: null } },
      levels: { type: 'score', instructions: 'How much?', criteria: ['low', null, 'high'] },
    },
  });
  t.equal(model, 'default');
  t.equal(input, 'It rains.');
  t.strictSame(questions, [
    { type: 'predicate', name: 'plain' },
    { type: 'predicate', name: 'sides', instructions: 'Is it?\n\nCriteria for true:\nit is' },
    { type: 'choice', name: 'labels', instructions: 'Which?', choices: [{ value: 'a' }, { value: 'true' }] },
    {
      type: 'choice',
      name: 'described',
      choices: [{ value: 'a', description: 'the first' }, { value: '__proto__' }, { value: 'b' }],
    },
    {
      type: 'score',
      name: 'levels',
      instructions: 'How much?',
      levels: [{ label: '0', description: 'low' }, { label: '1' }, { label: '2', description: 'high' }],
    },
  ]);
  t.equal(written({ state: 's', questions: QUESTIONS, model: 'own' }).model, 'own');
});

test('a state is text or JSON, with its numbers as they were written', async (t) => {
  const inputOf = (state: string) => written(`{"state":${state},"questions":{"q":{"type":"noul"}}}`).input;
  const data = (value: unknown) => [{ role: 'user', content: [{ type: 'input_json', data: value }] }];
  t.strictSame(inputOf('{"a":[1]}'), data({ a: [1] }));
  t.strictSame(inputOf('[{"a":1},{}]'), data([{ a: 1 }, {}]));
  for (const [state, text] of [
    ['"text"', 'text'],
    ['[1,"x"]', '[\n  1,\n  "x"\n]'],
    ['[]', '[]'],
    ['1.50', '1.50'],
    ['true', 'true'],
  ] as const) {
    t.equal(inputOf(state), text);
  }
  const source = decisionsBody(Buffer.from('{"state":{"a":1.50},"questions":{"q":{"type":"noul"}}}'));
  t.match(source, /"a": 1\.50/);
});

test('of a long state, what a model reads of it is sent', async (t) => {
  const most = LIMITS.stateCodePoints;
  const inputOf = (state: unknown) => written({ state, questions: QUESTIONS }).input;
  const exact = '🙂'.repeat(most);
  t.equal(inputOf(exact), exact);
  t.equal(inputOf(`${exact}x`), exact);
  const around = JSON.stringify({ a: '' }, null, 2).length;
  const data = { a: 'x'.repeat(most - around) };
  t.strictSame(inputOf(data)[0].content, [{ type: 'input_json', data }]);
  const longer = { a: `${data.a}x` };
  t.equal(inputOf(longer), JSON.stringify(longer, null, 2).slice(0, most));
});

test('empty instructions are sent, none are not', async (t) => {
  const [empty, none, sides] = written({
    state: 's',
    questions: {
      empty: { type: 'noul', instructions: '' },
      none: { type: 'noul' },
      sides: { type: 'noul', instructions: '', criteria: { yes: 'it is', no: null } },
    },
  }).questions;
  t.strictSame([empty.instructions, none.instructions], ['', undefined]);
  t.equal(sides.instructions, 'Criteria for true:\nit is');
});

test('images with a budget that the Decisions API does not have are refused', async (t) => {
  const request = { state: 'img', questions: QUESTIONS, image_budget: 140 };
  t.ok(written({ ...request }));
  const assets = { img: { type: 'image', format: 'jpg', data_base64: '/9j/' } };
  t.throws(() => written({ ...request, assets }), { message: /`image_budget` 140/ });
});

test('images are parts of the input and of instructions, and of nothing else', async (t) => {
  const asset = { format: 'jpg', data_base64: '/9j/' };
  const image = { type: 'input_image', image_url: 'data:image/jpeg;base64,/9j/', detail: 'low' };
  const request = { state: 'img1, img', assets: { img: asset, img1: asset }, image_budget: 70 };
  const { input, questions } = written({
    ...request,
    questions: { q: { type: 'noul', instructions: 'Is img it?' } },
  });
  t.strictSame(input, [{ role: 'user', content: [image, { type: 'input_text', text: ', ' }, image] }]);
  t.strictSame(questions[0].instructions, [
    { type: 'input_text', text: 'Is ' },
    image,
    { type: 'input_text', text: ' it?' },
  ]);
  const json = written({ ...request, image_budget: 280, state: ['img', 'img1'], questions: QUESTIONS });
  t.strictSame(json.input[0].content[0], { type: 'input_text', text: '[\n  "' });
  t.strictSame(json.input[0].content[1], { type: 'input_image', image_url: image.image_url });
  const described = { q: { type: 'choice', criteria: { a: 'img', b: null } } };
  t.throws(() => written({ ...request, questions: described }), {
    message: /^The question "q" shows an image in a description/,
  });
});

test('a response of the Decisions API is read as one of System One', async (t) => {
  const response = fromDecisions({
    model: 'm',
    usage: { input_tokens: 9, output_tokens: 3 },
    answers: [
      { type: 'predicate', name: 'p', probability: 0.3, raw_probabilities: [0.30001, 0.69999] },
      {
        type: 'choice',
        name: 'c',
        choice: true,
        confidence: 0.7,
        probabilities: [
          { value: '__proto__', probability: 0.3 },
          { value: true, probability: 0.7 },
        ],
      },
      {
        type: 'score',
        name: 's',
        raw_probabilities: [0.40001, 0.59999],
        score: 0.6,
        confidence: 0.6,
        probabilities: [
          { value: 0, label: 'low', probability: 0.4 },
          { value: 1, label: 'high', probability: 0.6 },
        ],
      },
      { type: 'refusal', name: 'r' },
    ],
  });
  const answer = (question: string, type: 'noul' | 'choice' | 'score', options: readonly string[]) => ({
    ...{ question, type, options },
    expected: 0,
  });
  const asked = (...answers: ReadonlyArray<ReturnType<typeof answer>>) => ({
    ...{ line: 1, id: 'x', group: null, split: null, model: null, request: '' },
    answers,
  });
  const read = readResponse(
    asked(
      answer('p', 'noul', ['true', 'false']),
      answer('c', 'choice', ['__proto__', 'true']),
      answer('s', 'score', ['0', '1']),
    ),
    response,
  );
  t.strictSame([read.model, read.inputTokens, read.outputTokens], ['m', 9, 3]);
  t.strictSame(
    read.answered.map(({ probabilities, committed, raw }) => [probabilities, committed, raw]),
    [
      [[0.3, 0.7], false, [0.30001, 0.69999]],
      [[0.3, 0.7], false, null],
      [[0.4, 0.6], false, [0.40001, 0.59999]],
    ],
  );
  const [plain] = readResponse(
    asked(answer('p', 'noul', ['true', 'false'])),
    fromDecisions({ answers: [{ type: 'predicate', name: 'p', probability: 0.3 }] }),
  ).answered;
  t.match(plain, { probabilities: [0.3, 0.7], committed: false }, 'of another server');
  t.throws(() => readResponse(asked(answer('r', 'noul', ['true', 'false'])), response), {
    name: 'BadAnswer',
  });
  t.throws(() => readResponse(asked(answer('other', 'noul', ['true', 'false'])), response), {
    name: 'BadAnswer',
  });
  for (const wrong of [
    {},
    { answers: 1 },
    {
      answers: [null, 'x', { type: 'predicate', name: 'p' }, { type: 'choice', name: 'p', probabilities: 1 }],
    },
  ]) {
    t.throws(() => readResponse(asked(answer('p', 'noul', ['true', 'false'])), fromDecisions(wrong)), {
      name: 'BadAnswer',
    });
  }
});
