import { Validator } from '@seriousme/openapi-schema-validator';
import { test } from 'tap';
import { Compile } from 'typebox/compile';
import {
  DECIDE_EXAMPLE,
  DecideResponseSchema,
  ErrorSchema,
  HealthSchema,
  ModelListSchema,
} from '../../src/openapi/index.js';
import { decider } from '../support/cli.js';
import { startTestServer } from '../support/server.js';

test('the OpenAPI document is valid, served and printed alike', async (t) => {
  const { url } = await startTestServer(t);
  const served = (await (await fetch(`${url}/openapi.json`)).json()) as Record<string, unknown>;
  const { valid, errors } = await new Validator().validate(structuredClone(served));
  t.ok(valid, JSON.stringify(errors));
  const { stdout } = await decider(t, ['openapi']).end();
  t.strictSame(JSON.parse(stdout), served);
});

test('what the server answers fits the schemas of the document', async (t) => {
  const { url, ask } = await startTestServer(t);
  const get = async (path: string) => (await fetch(url + path)).json();
  for (const [schema, value] of [
    [DecideResponseSchema, await ask(DECIDE_EXAMPLE)],
    [ModelListSchema, await get('/v1/models')],
    [HealthSchema, await get('/health')],
    [ErrorSchema, await get('/nothing')],
    [ErrorSchema, await ask({})],
  ] as const) {
    t.strictSame([...Compile(schema).Errors(value)], [], JSON.stringify(value));
  }
});
