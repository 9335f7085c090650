import { experimental_decide } from 'ai';
import tap, { test } from 'tap';
import { clientPackage } from '../support/client-package.js';
import { png } from '../support/images/png.js';
import { modelsFolder, startTestServer } from '../support/server.js';

const { createOpenAI } = await clientPackage('@ai-sdk/openai');
const server = await startTestServer(tap, {}, modelsFolder(tap.testdir(), {}, {}, 'gemma4uv'));
const openai = createOpenAI({
  apiKey: server.headers.authorization.replace('Bearer ', ''),
  baseURL: `${server.url}/v1`,
});
const model = openai.decisionModel('gpt-6-luna');

test('the example of its documentation', async (t) => {
  const { answers, response, usage, providerMetadata } = await experimental_decide({
    model,
    state: { message: 'I was charged twice. Please refund the duplicate.' },
    questions: {
      department: {
        type: 'choice',
        instructions: 'Which team should handle this?',
        criteria: { billing: 'Payments and refunds', support: 'Other requests' },
      },
      severity: {
        type: 'score',
        instructions: 'How severe is the issue?',
        criteria: ['Cosmetic', 'Workaround exists', 'Blocking; no workaround'],
      },
      requestsRefund: {
        type: 'boolean',
        instructions: 'Is the customer requesting money back?',
        criteria: { true: 'it is', false: ['it', 'is not'] },
      },
    },
  });
  t.ok(['billing', 'support'].includes(answers.department.choice));
  t.strictSame(Object.keys(answers.department.probabilities ?? {}), ['billing', 'support']);
  t.ok(answers.severity.score >= 0 && answers.severity.score <= 2);
  t.strictSame(Object.keys(answers.severity.probabilities ?? {}), ['0', '1', '2']);
  t.match(answers.requestsRefund, { type: 'boolean', probability: Number });
  t.equal(response.modelId, 'tiny-20260101', 'a model that is not served is answered by the default model');
  t.match(response.headers, { 'x-request-id': /^req_/ });
  t.ok((usage.inputTokens ?? 0) > 0);
  t.equal(usage.outputTokens, 3);
  t.match(providerMetadata, {
    openai: { confidence: { department: Number, severity: Number }, usage: { total_tokens: Number } },
  });
});

test('text, JSON and an image in one state', async (t) => {
  const { answers, usage } = await experimental_decide({
    model,
    state: [
      { type: 'text', text: 'Inspect this package for damage.' },
      { type: 'json', value: { product: 'glass vase', packaging: 'cardboard' } },
      { type: 'json', value: [1, null] },
      {
        type: 'file',
        mediaType: 'image/png',
        data: png({ width: 100, height: 60 }),
        providerOptions: { openai: { imageDetail: 'low' } },
      },
    ],
    questions: { damaged: { type: 'boolean', instructions: 'Is the product visibly damaged?' } },
  });
  t.match(answers.damaged, { type: 'boolean', probability: Number });
  t.ok((usage.inputTokens ?? 0) > 60);
});

test('400 questions, and one more', async (t) => {
  const questions = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `q${at}`,
        { type: 'boolean', instructions: 'Is it?' } as const,
      ]),
    );
  const { answers } = await experimental_decide({ model, state: 'x', questions: questions(400) });
  t.equal(Object.keys(answers).length, 400);
  const more = experimental_decide({ model, state: 'x', questions: questions(401) });
  t.match(await more.catch((thrown) => thrown), {
    statusCode: 400,
    data: { error: { code: 'too_many_questions', param: 'questions' } },
  });
});

test('a refusal of one question is an error that names it', async (t) => {
  const questions = {
    long: { type: 'boolean', instructions: 'word '.repeat(60_000) },
    short: { type: 'boolean', instructions: 'Is it?' },
  } as const;
  const error = await experimental_decide({ model, state: 'x', questions }).catch((thrown) => thrown);
  t.ok(error instanceof Error);
  t.match(JSON.stringify([error.message, error.data ?? error.cause ?? error]), /long/);
});
