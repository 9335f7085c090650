import { CHANGES } from '../../src/access/index.js';
import { ERRORS, type ErrorType } from '../../src/api/index.js';
import type { Reply, Service } from '../support/contract/service.js';
import { ASK, type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { request } from '../support/http/raw-client.js';

const BODY = { state: 'x', questions: ASK };

/** A request that causes each type of error. */
const CAUSES: Partial<Record<ErrorType, (service: Service) => Promise<Reply>>> = {
  not_found: ({ post }) => post(BODY, { path: '/v1/nothing' }),
  method_not_allowed: ({ get }) => get('/v1/decide'),
  unauthorized: ({ post }) => post(BODY, { token: null }),
  unsupported_encoding: ({ post }) => post(BODY, { headers: { 'content-encoding': 'br' } }),
  unsupported_media_type: ({ post }) => post(BODY, { headers: { 'content-type': 'multipart/mixed' } }),
  out_of_credit: async ({ post, account }) =>
    post(BODY, { token: (await account('errors-credit', 0)).token }),
  budget_exceeded: async ({ post, account, administration }) => {
    const { token, workspace } = await account('errors-budget');
    await administration.change(CHANGES.changeWorkspace(workspace, { budget: 0n }));
    return post(BODY, { token });
  },
  rate_limited: async ({ post, account, administration }) => {
    const { token, workspace } = await account('errors-rate');
    await administration.change(CHANGES.changeWorkspace(workspace, { requestsPerMinute: 1 }));
    await post(BODY, { token });
    return post(BODY, { token });
  },
  bad_encoding: ({ post }) => post('not gzip', { headers: { 'content-encoding': 'gzip' } }),
  bad_multipart: ({ post }) =>
    post('--b', { headers: { 'content-type': 'multipart/form-data; boundary=b' } }),
  invalid_json: ({ post }) => post('{'),
  invalid_request: ({ post }) => post([]),
  model_not_found: ({ post }) => post({ ...BODY, model: 'unknown' }),
  model_not_allowed: async ({ post, account, administration }) => {
    const { token, workspace } = await account('errors-model');
    await administration.change(CHANGES.changeWorkspace(workspace, { models: [] }));
    return post(BODY, { token });
  },
  missing: ({ post }) => post({ questions: ASK }),
  invalid_questions: ({ post }) => post({ state: 'x' }),
  too_many_questions: ({ post }) =>
    post({ state: 'x', questions: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, ASK.q])) }),
  invalid_type: ({ post }) => post({ state: 'x', questions: { q: {} } }),
  invalid_question: ({ post }) => post({ state: 'x', questions: { q: 7 } }),
  too_many_options: ({ post }) =>
    post({
      state: 'x',
      questions: { q: { type: 'choice', criteria: Array.from({ length: 27 }, (_, at) => `o${at}`) } },
    }),
  invalid_image_budget: ({ post }) => post({ ...BODY, image_budget: 1 }),
  invalid_assets: ({ post }) => post({ ...BODY, assets: [] }),
};

const TYPES = Object.entries(CAUSES) as [ErrorType, (service: Service) => Promise<Reply>][];

/** One test per type of error, and what they have in common. */
export const ERRORS_OF_DECIDE: readonly ContractTest[] = [
  ...TYPES.map(([type, cause]) =>
    httpRule(`7.4 ${type}: its status, its shape, its headers`, async (t, service) => {
      const { status, json, headers } = await cause(service);
      t.equal(status, ERRORS[type].status);
      t.strictSame(Object.keys(json).sort(), ['error', 'type'], 'contract 2.9');
      t.equal(json.type, type);
      t.match(json.error, /^[A-Z`/].+\.$/s, 'one sentence');
      t.match(headers.get('content-type'), /^application\/json/);
      t.ok(headers.get('x-request-id'));
      t.equal(headers.get('www-authenticate'), status === 401 ? 'Bearer' : null);
      t.equal(headers.get('allow'), status === 405 ? 'POST' : null);
      const wait = headers.get('retry-after');
      if (status === 429) t.match(wait, /^([1-9]|[1-5]\d|60)$/);
      else t.equal(wait, null);
    }),
  ),
  httpRule(
    '7.4 length_required, body_too_large: refused before the body is read',
    async (t, { raw, token }) => {
      const Authorization = `Bearer ${token}`;
      for (const [length, status, type] of [
        [null, 411, 'length_required'],
        ['99999999', 413, 'body_too_large'],
      ] as const) {
        const answer = await raw(
          request('POST', '/v1/decide', '', { Authorization, 'Content-Length': length }),
        );
        t.strictSame([answer.status, JSON.parse(answer.body).type], [status, type]);
      }
    },
  ),
  httpRule('7 order: a request with several errors gets the first', async (t, { post, account }) => {
    const json = 'application/json';
    const poor = (await account('order', 0)).token;
    const steps: readonly [string, unknown, Parameters<Service['post']>[1]][] = [
      ['not_found', '{', { path: '/nowhere', token: null }],
      [
        'unauthorized',
        '{',
        { token: null, headers: { 'content-encoding': 'br', 'content-type': 'multipart/b' } },
      ],
      [
        'unsupported_encoding',
        '{',
        { token: poor, headers: { 'content-encoding': 'br', 'content-type': 'multipart/b' } },
      ],
      ['unsupported_media_type', '{', { token: poor, headers: { 'content-type': 'multipart/b' } }],
      ['out_of_credit', '{', { token: poor, headers: { 'content-type': json } }],
      ['invalid_json', '{"model":7', {}],
      ['invalid_request', { model: 7, questions: {} }, {}],
      ['model_not_found', { model: 'unknown', questions: {} }, {}],
      ['missing', { questions: {}, image_budget: 1 }, {}],
      ['invalid_questions', { state: 'x', questions: {}, image_budget: 1 }, {}],
      ['invalid_type', { state: 'x', questions: { a: {}, b: 7 }, image_budget: 1 }, {}],
      ['invalid_image_budget', { ...BODY, image_budget: 1, assets: [] }, {}],
      ['invalid_assets', { ...BODY, assets: [] }, {}],
    ];
    for (const [type, body, sending] of steps) t.equal((await post(body, sending)).json.type, type);
  }),
  rule('7 messages: a request’s strings are not repeated', async (t, { post }) => {
    const secret = 'an-unmistakable-text';
    for (const body of [
      `{"state":"${secret}`,
      { state: secret, questions: { q: { type: secret } } },
      { state: secret, questions: { q: { type: 'noul', instructions: [secret] } } },
      { state: secret, questions: { q: { type: 'noul', instructions: `${secret} `.repeat(50_000) } } },
    ]) {
      const { status, text } = await post(body);
      t.ok(status >= 400 && status < 500, `${status}`);
      t.notMatch(text, secret);
    }
  }),
  rule('2.1 other fields: unknown ones are ignored, wrong types are errors', async (t, { post }) => {
    const more = { stream: true, temperature: 0, user: { id: 1 }, tools: [] };
    t.equal((await post({ ...BODY, ...more })).status, 200);
    for (const field of [{ model: 7 }, { model: {} }, { questions: [] }]) {
      const { status, json } = await post({ ...BODY, ...field });
      t.strictSame([status, json.type], [400, 'invalid_request'], JSON.stringify(field));
    }
  }),
];
