import {
  choice,
  noul,
  score,
  TypeSafeClient,
  TypeSafeError,
  UnprocessableEntityError,
} from '@typesafe-ai/sdk';
import tap, { test } from 'tap';
import { startTestServer } from '../support/server.js';

// As its README has it: from the environment.
const server = await startTestServer(tap);
process.env.TYPESAFE_API_KEY = server.headers.authorization.replace('Bearer ', '');
process.env.TYPESAFE_BASE_URL = server.url;
const client = new TypeSafeClient();

const sumOf = (probabilities: object) => Object.values(probabilities).reduce((sum, p) => sum + p, 0);

test('the quickstart of its README', async (t) => {
  const response = await client.systemOne({
    state: { document: 'I was charged twice. Please fix this ASAP.' },
    questions: {
      category: choice('What is this ticket about?', {
        billing: null,
        technical: null,
        other: null,
      }),
    },
  });
  t.ok(['billing', 'technical', 'other'].includes(response.answers.category.choice));
  t.equal(response.model, 'tiny-20260101', 'its `jev-latest` is answered by the default model');
  t.ok(response.usage.input_tokens > 0);
  t.equal(response.usage.output_tokens, 1);
});

test('the example of its `systemOne`', async (t) => {
  const { answers } = await client.systemOne({
    state: 'I was charged twice. Please help.',
    questions: { billing: noul('Is this about billing?') },
  });
  t.ok(answers.billing.noul <= 0.2 || answers.billing.noul >= 0.8);
});

test('every kind of question and answer that its types have', async (t) => {
  const { answers, usage } = await client.systemOne({
    state: ['I was charged twice.', { again: true }],
    questions: {
      bare: noul(),
      sides: noul('Is it?', { true: 'it is', false: null }),
      one: noul(null, { true: { means: ['it', 'is'] } }),
      none: noul('Is it?', null),
      structured: noul({ ask: 'Is it?', of: ['this'] }),
      choice: choice(['Which', 'team?'], { billing: { includes: ['refunds'] }, sales: null, other: 'rest' }),
      score: score('How urgent?', ['can wait', null, { level: 'now' }, ['very', 'much']]),
    },
  });
  for (const name of ['bare', 'sides', 'one', 'none', 'structured'] as const) {
    t.match(answers[name], { type: 'noul', noul: Number }, name);
  }
  t.strictSame(Object.keys(answers.choice.probabilities), ['billing', 'sales', 'other']);
  t.ok(Math.abs(sumOf(answers.choice.probabilities) - 1) < 1e-9);
  t.type(answers.choice.confidence, 'number');
  t.strictSame(Object.keys(answers.score.probabilities), ['0', '1', '2', '3']);
  t.ok(answers.score.score >= 0 && answers.score.score <= 3);
  t.strictSame<unknown>(answers.score.legend, {
    0: 'can wait',
    1: 'Level 1',
    2: '{\n  "level": "now"\n}',
    3: '[\n  "very",\n  "much"\n]',
  });
  t.equal(usage.output_tokens, 7);
});

test('a state of any kind that its types have', async (t) => {
  for (const state of ['text', '', { a: 1 }, [], null]) {
    const { answers } = await client.systemOne({ state, questions: { q: noul('Is it?') } });
    t.type(answers.q.noul, 'number', JSON.stringify(state));
  }
});

test('further fields, which it forwards, are ignored', async (t) => {
  const request = { state: 'x', questions: { q: noul() }, stream: null, metadata: { team: 'a' } };
  t.type((await client.systemOne(request)).answers.q.noul, 'number');
});

test('its list of models, its request id and its raw response', async (t) => {
  const call = client.models.list();
  const facts = { max_options: 130, reads_images: false, context_tokens: 8_192, domain: null };
  const tiny = { name: 'tiny', description: 'A tiny model.', release_date: null, ...facts };
  t.strictSame<unknown>(await call, [tiny]);
  const { requestId, response } = await call.withResponse();
  t.match(requestId, /^req_[A-Za-z0-9]{24}$/);
  t.equal(response.headers.get('x-request-id'), requestId);
  const raw = await client.systemOne({ state: 'x', questions: { q: noul() } }).asResponse();
  t.match(await raw.json(), { answers: { q: { type: 'noul' } } });
});

test('a model named by its id or its build', async (t) => {
  for (const model of ['tiny', 'tiny-20260101', 'jev-1.13']) {
    const { model: build } = await client.systemOne({ model, state: 'x', questions: { q: noul() } });
    t.equal(build, 'tiny-20260101', model);
  }
});

test('what its types allow and the contract refuses', async (t) => {
  const labels = Object.fromEntries(Array.from({ length: 27 }, (_, at) => [`l${at}`, null]));
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`q${at}`, noul()]));
  for (const [questions, type] of [
    [{ q: choice('Which?', labels) }, 'too_many_options'],
    [{ q: choice('Which?', {}) }, 'invalid_question'],
    [many, 'too_many_questions'],
  ] as const) {
    const error = await client.systemOne({ state: 'x', questions }).catch((thrown) => thrown);
    t.ok(error instanceof UnprocessableEntityError, type);
    t.match(error, { status: 422, body: { type }, requestId: /^req_/ });
  }
});

test('what it refuses itself never reaches the server', async (t) => {
  const seen = server.lines.length;
  await t.rejects(async () => client.systemOne({ state: 'x', questions: {} }), TypeSafeError);
  t.equal(server.lines.length, seen);
});
