import { Validator } from '@seriousme/openapi-schema-validator';
import { test } from 'tap';
import { Compile } from 'typebox/schema';
import {
  DECIDE_EXAMPLE,
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
