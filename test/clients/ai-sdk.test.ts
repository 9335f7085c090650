import { createTypeSafeAi } from '@ai-sdk/typesafe-ai';
import {
  APICallError,
  type Experimental_DecisionModel,
  experimental_decide,
  experimental_evaluate,
} from 'ai';
import tap, { test } from 'tap';
import { startTestServer } from '../support/server.js';

const server = await startTestServer(tap);
const provider = createTypeSafeAi({
  apiKey: server.headers.authorization.replace('Bearer ', ''),
  baseURL: `${server.url}/v1`,
});
const typeSafeAi = {
  /** The types of these two versions do not fit each other, which hurts no call. */
  evaluationModel: (id: string) => provider.evaluationModel(id) as Experimental_DecisionModel,
};

test('the example of its README', async (t) => {
  const result = await experimental_evaluate({
    model: typeSafeAi.evaluationModel('jev-latest'),
    state: 'I was charged twice. Please refund the duplicate.',
    questions: {
      department: {
        type: 'choice',
        instructions: 'Which team should handle this?',
        criteria: { billing: 'Charges and refunds', support: 'Other requests' },
      },
      requestsRefund: {
        type: 'boolean',
        instructions: 'Is the customer requesting money back?',
      },
    },
  });
  t.ok(['billing', 'support'].includes(result.answers.department.choice));
  t.match(result.answers.requestsRefund, { type: 'boolean', probability: Number });
  t.equal(result.response.modelId, 'tiny-20260101', 'its `jev-latest` is answered by the default model');
});

test('the example of its documentation', async (t) => {
  const result = await experimental_evaluate({
    model: typeSafeAi.evaluationModel('jev-latest'),
    state: {
      message: 'I was charged twice. Please refund the duplicate.',
    },
    questions: {
      department: {
        type: 'choice',
        instructions: 'Which team should handle this?',
        criteria: {
          billing: { includes: ['Charges', 'Invoices', 'Refunds'] },
          technical: ['Bugs', 'Outages'],
          other: null,
        },
      },
      severity: {
        type: 'score',
        instructions: 'How severe is the issue?',
        criteria: ['Cosmetic', 'Workaround exists', 'Blocking; no workaround'],
      },
      requestsRefund: {
        type: 'boolean',
        instructions: 'Is the customer requesting money back?',
      },
    },
  });
  t.strictSame(Object.keys(result.answers.department.probabilities ?? {}), ['billing', 'technical', 'other']);
  t.ok(result.answers.severity.score >= 0 && result.answers.severity.score <= 2);
  t.ok(result.answers.requestsRefund.probability <= 1);
  t.match(result.providerMetadata, { typesafe: { confidence: { department: Number, severity: Number } } });
  t.ok((result.usage.inputTokens ?? 0) > 0);
  t.equal(result.usage.outputTokens, 3);
  t.match(result.response.headers, { 'x-request-id': /^req_/ });
});

test('`experimental_decide`, the newer name; criteria of a boolean with one side or none', async (t) => {
  const { answers } = await experimental_decide({
    model: typeSafeAi.evaluationModel('jev-latest'),
    state: [{ type: 'text', text: 'I was charged twice.' }],
    questions: {
      both: { type: 'boolean', criteria: { true: 'it is', false: { but: ['not'] } } },
      one: { type: 'boolean', criteria: { true: 'it is' } },
      none: { type: 'boolean', instructions: ['Is', 'it?'] },
      single: { type: 'choice', instructions: 'Which?', criteria: { only: null } },
    },
  });
  for (const name of ['both', 'one', 'none'] as const) t.type(answers[name].probability, 'number', name);
  t.equal(answers.single.choice, 'only');
});

test('a file part of a state is refused, and the error names `assets`', async (t) => {
  const asked = experimental_decide({
    model: typeSafeAi.evaluationModel('jev-latest'),
    state: [{ type: 'file', mediaType: 'image/png', data: new Uint8Array([137, 80, 78, 71]) }],
    questions: { damaged: { type: 'boolean', instructions: 'Is it?' } },
  });
  const error = await asked.catch((thrown) => thrown);
  t.match(error, { statusCode: 400, isRetryable: false, responseBody: /in `assets`.*invalid_assets/ });
});

test('what its types allow and the contract refuses', async (t) => {
  const criteria = Object.fromEntries(Array.from({ length: 27 }, (_, at) => [`l${at}`, null]));
  for (const [question, type] of [
    [{ type: 'choice', instructions: 'Which?', criteria }, 'too_many_options'],
    [{ type: 'score', instructions: 'How much?', criteria: ['one level'] }, 'invalid_question'],
  ] as const) {
    const model = typeSafeAi.evaluationModel('jev-latest');
    const asked = experimental_evaluate({ model, state: 'x', questions: { q: question } });
    const error = await asked.catch((thrown) => thrown);
    t.ok(APICallError.isInstance(error), type);
    t.match(error, { statusCode: 422, isRetryable: false, responseBody: new RegExp(`"type":"${type}"`) });
  }
});
