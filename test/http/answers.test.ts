import { test } from 'tap';
import { ROUTES } from '../../src/api/index.js';
import { FORMATS } from '../../src/decide/request-formats.js';
import { BATCHES, OPEN, OWN, SUBMISSIONS, TASK_FILES, TASKS } from '../../src/http/route-handlers.js';
import { request } from '../support/http/raw-client.js';
import { onBoth, serve } from '../support/http/serving.js';

const FACTS = { reads_images: true, context_tokens: 2_048, domain: null };

test('every route has a handler, and every handler a route', async (t) => {
  const decisions = Object.keys(FORMATS).map((format) => (format === 'task' ? 'decideTask' : format));
  const others = Object.keys({ ...SUBMISSIONS, ...BATCHES, ...OWN, ...OPEN, ...TASKS, ...TASK_FILES });
  t.strictSame([...decisions, ...others].sort(), ROUTES.map(({ name }) => name).sort());
});

onBoth('each decide path has a format of its own', async (t, transport) => {
  const { ask } = await serve(t, transport);
  for (const [path, format] of [
    ['/v1/decide', 'decide'],
    ['/v1/systemone', 'systemone'],
  ]) {
    const response = await ask(request('POST', path as string, '{"é":1}'));
    t.equal(response.status, 200);
    t.strictSame(JSON.parse(response.body), { length: 8, text: '{"é":1}', format });
    t.equal(response.headers.get('server-timing'), 'queue;dur=1.50, engine;dur=20.00');
    t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  }
});

onBoth('the model list has both arrays of contract 2.8', async (t, transport) => {
  const { ask } = await serve(t, transport);
  t.strictSame(JSON.parse((await ask(request('GET', '/v1/models'))).body), {
    object: 'list',
    data: [{ id: 'm', object: 'model', owned_by: 'us' }],
    models: [{ name: 'm', description: 'A model.', release_date: null, max_options: 26, ...FACTS }],
  });
});

onBoth('the health check says ok; a query is ignored', async (t, transport) => {
  const { ask } = await serve(t, transport);
  for (const target of ['/health', '/health?', '/health?a=b?c', '/health?/v1/decide']) {
    const response = await ask(request('GET', target));
    t.equal(response.status, 200);
    t.equal(response.body, '{"status":"ok"}');
    t.equal(response.headers.get('content-length'), '15');
  }
});

onBoth('HEAD is GET without the body, and the connection stays open', async (t, transport) => {
  const { client } = await serve(t, transport);
  const connection = await client();
  for (const path of ['/health', '/v1/models', '/nowhere', '/v1/decide']) {
    await connection.send(request('HEAD', path));
    const head = await connection.response(true);
    await connection.send(request('GET', path));
    const get = await connection.response();
    t.equal(head.status, get.status, path);
    t.equal(head.headers.get('content-length'), get.headers.get('content-length'), path);
    t.equal(head.headers.get('content-length'), String(Buffer.byteLength(get.body)), path);
    t.equal(head.headers.get('content-type'), get.headers.get('content-type'), path);
  }
});

onBoth('405 names the methods in Allow', async (t, transport) => {
  const { ask } = await serve(t, transport);
  t.equal((await ask(request('OPTIONS', '/v1/decide'))).headers.get('allow'), 'POST');
  t.equal((await ask(request('POST', '/health', '{}'))).headers.get('allow'), 'GET, HEAD');
});

onBoth('the media types that are accepted', async (t, transport) => {
  const { ask } = await serve(t, transport);
  for (const type of [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;a=b',
    'application/problem+json',
    'APPLICATION/VND.X+JSON ; v=1',
    'application/x-www-form-urlencoded',
    'text/plain',
  ]) {
    t.equal((await ask(request('POST', '/v1/decide', '{}', { 'Content-Type': type }))).status, 200, type);
  }
});

onBoth('ids are the server’s own, one per request', async (t, transport) => {
  const { ask, access, logged } = await serve(t, transport);
  const bytes = request('GET', '/health', null, { 'X-Request-Id': 'req_mine' });
  const ids = [];
  for (let round = 0; round < 3; round += 1) {
    const { headers } = await ask(bytes);
    t.match(headers.get('x-request-id'), /^req_[A-Za-z0-9]{24}$/);
    t.equal(headers.get('x-typesafe-request-id'), headers.get('x-request-id'));
    ids.push(headers.get('x-request-id'));
  }
  await logged(3);
  t.equal(new Set(ids).size, 3);
  t.strictSame(
    access.map(({ requestId }) => requestId),
    ids,
  );
});

onBoth('every response to an authenticated caller has the rest of its limits', async (t, transport) => {
  const { ask } = await serve(t, transport);
  const authorized = { Authorization: 'Bearer x' };
  const requests = [
    request('POST', '/v1/decide', '{}', authorized),
    request('POST', '/v1/decide', '{}', { ...authorized, 'Content-Encoding': 'br' }),
    request('GET', '/nowhere', null, authorized),
  ];
  for (const each of requests) {
    const { headers } = await ask(each);
    const names = ['limit', 'remaining', 'reset'].flatMap((name) => [`${name}-requests`, `${name}-bytes`]);
    const found = names.map((name) => [name, headers.get(`x-ratelimit-${name}`)]);
    t.strictSame(Object.fromEntries(found), {
      'limit-requests': '6000',
      'limit-bytes': '1000',
      'remaining-requests': '5999',
      'remaining-bytes': '0',
      'reset-requests': '59.251s',
      'reset-bytes': '59.251s',
    });
  }
  for (const open of [request('GET', '/v1/models'), request('GET', '/nowhere')]) {
    t.notOk((await ask(open)).headers.get('x-ratelimit-limit-requests'));
  }
});

onBoth(
  'the log gets the key, its workspace and the phases of a decision, and the type of an error',
  async (t, transport) => {
    const { ask, access, logged } = await serve(t, transport);
    const authorized = { Authorization: 'Bearer x' };
    await ask(request('POST', '/v1/decide', '{}', authorized));
    await ask(request('POST', '/v1/decide', '{}', { ...authorized, 'Content-Encoding': 'br' }));
    await ask(request('GET', '/secret'));
    await ask(request('GET', '/secret', null, authorized));
    await logged(4);
    const seen = access.map(({ keyId, workspace, phases, error }) => ({ keyId, workspace, phases, error }));
    const key = { keyId: 'key_test', workspace: 'default' };
    const none = { keyId: undefined, workspace: undefined };
    t.strictSame(seen, [
      { ...key, phases: { queue: 1.5, engine: 20 }, error: undefined },
      { ...key, phases: undefined, error: 'unsupported_encoding' },
      { ...none, phases: undefined, error: 'not_found' },
      { ...key, phases: undefined, error: 'not_found' },
    ]);
  },
);

onBoth('the log gets method, route, status and duration, nothing the caller wrote', async (t, transport) => {
  const { ask, access, logged } = await serve(t, transport);
  await ask(request('GET', '/health?token=secret'));
  await ask(request('GET', '/secret'));
  await ask(request('PROPFIND', '/v1/models'));
  await logged(3);
  const seen = access.map(({ method, path, status }) => [method, path, status]);
  t.strictSame(seen, [
    ['GET', '/health', 200],
    ['GET', '-', 404],
    ['-', '/v1/models', 405],
  ]);
  t.ok(access.every(({ durationMs }) => durationMs >= 0 && durationMs < 60_000));
});
