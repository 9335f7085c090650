import { Validator } from '@seriousme/openapi-schema-validator';
import { test } from 'tap';
import { Compile } from 'typebox/schema';
import {
  DECIDE_EXAMPLE,
  DECISIONS_EXAMPLE,
  DecideResponseSchema,
  ErrorSchema,
  HealthSchema,
  LimitsSchema,
  ModelListSchema,
  TASK_EXAMPLE,
  TaskAnswersSchema,
  TaskListSchema,
  TaskSchema,
  UsageSchema,
} from '../../src/openapi/index.js';
import { decider } from '../support/cli.js';
import { startTestServer } from '../support/server.js';
import { shared } from '../support/shared.js';

const server = shared((t) => startTestServer(t));

test('the OpenAPI document is valid, served and printed alike', async (t) => {
  const { url } = await server();
  const served = (await (await fetch(`${url}/openapi.json`)).json()) as Record<string, unknown>;
  const { valid, errors } = await new Validator().validate(structuredClone(served));
  t.ok(valid, JSON.stringify(errors));
  const { stdout } = await decider(t, ['openapi']).end();
  t.strictSame(JSON.parse(stdout), served);
});

test('the document has the multipart body of the routes that take one', async (t) => {
  const { url, headers } = await server();
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    readonly paths: Record<string, { post?: { requestBody?: { content: object } } }>;
  };
  const { 'content-type': _, ...own } = Object.fromEntries(new Headers(headers));
  await fetch(`${url}/v1/tasks/a`, { method: 'PUT', headers, body: JSON.stringify(TASK_EXAMPLE) });
  for (const [path, request, status] of [
    ['/v1/decide', DECIDE_EXAMPLE, 200],
    ['/v1/systemone', DECIDE_EXAMPLE, 200],
    ['/v1/tasks/{name}/decide', { state: DECIDE_EXAMPLE.state }, 200],
    ['/v1/decisions', DECISIONS_EXAMPLE, 415],
  ] as const) {
    const body = new FormData();
    body.append('request', new Blob([JSON.stringify(request)], { type: 'application/json' }));
    const response = await fetch(url + path.replace('{name}', 'a'), { method: 'POST', headers: own, body });
    t.equal(response.status, status, path);
    const documented = Object.keys(paths[path]?.post?.requestBody?.content ?? {});
    t.equal(documented.includes('multipart/form-data'), status === 200, path);
  }
});

test('what the server answers fits the schemas of the document', async (t) => {
  const { url, ask, headers } = await server();
  const get = async (path: string) => (await fetch(url + path, { headers })).json();
  const send = async (method: string, path: string, body: object) =>
    (await fetch(url + path, { method, headers, body: JSON.stringify(body) })).json();
  for (const [schema, value] of [
    [DecideResponseSchema, await ask(DECIDE_EXAMPLE)],
    [ModelListSchema, await get('/v1/models')],
    [LimitsSchema, await get('/v1/limits')],
    [UsageSchema, await get('/v1/usage')],
    [TaskSchema, await send('PUT', '/v1/tasks/a', TASK_EXAMPLE)],
    [TaskListSchema, await get('/v1/tasks')],
    [TaskAnswersSchema, await send('POST', '/v1/tasks/a/decide', { state: DECIDE_EXAMPLE.state })],
    [HealthSchema, await get('/health')],
    [ErrorSchema, await get('/nothing')],
    [ErrorSchema, await ask({})],
  ] as const) {
    const [, faults] = Compile(schema).Errors(value);
    t.strictSame(faults, [], JSON.stringify(value));
  }
});
