import { ApiError, ERRORS, type ErrorType, LIMITS } from '../../src/api/index.js';
import { FakeClock } from './fake-clock.js';
import { request } from './raw-client.js';
import { deferred, errorType, onBoth, serve } from './serving.js';

/** For every type that the HTTP side finds by itself: requests that bring it out. */
const CAUSES: Partial<Record<ErrorType, readonly string[]>> = {
  not_found: [
    request('GET', '/'),
    request('GET', '/v1/decide/'),
    request('GET', '/v1/%64ecide'),
    request('POST', '/v2/decide', '{}'),
    request('GET', '//health'),
    request('GET', '/health/../health'),
  ],
  method_not_allowed: [
    request('GET', '/v1/decide'),
    request('HEAD', '/v1/systemone').replace('HEAD', 'PUT'),
    request('POST', '/health', '{}'),
    request('DELETE', '/v1/models'),
    request('OPTIONS', '/v1/decide'),
  ],
  length_required: [
    request('POST', '/v1/decide', '', { 'Content-Length': null }),
    request('POST', '/v1/systemone', '2\r\n{}\r\n0\r\n\r\n', {
      'Content-Length': null,
      'Transfer-Encoding': 'chunked',
    }),
  ],
  body_too_large: [
    request('POST', '/v1/decide', '', { 'Content-Length': String(LIMITS.bodyBytes + 1) }),
    request('POST', '/v1/decide', '', { 'Content-Length': '999999999999' }),
  ],
  unsupported_encoding: [
    'br',
    'x-gzip',
    'deflate',
    'identity, gzip',
    'gzip, gzip',
    'gzip\r\nContent-Encoding: gzip',
    '',
  ].map((encoding) => request('POST', '/v1/decide', '{}', { 'Content-Encoding': encoding })),
  unsupported_media_type: [
    null,
    '',
    'text/plain',
    'application/jsonl',
    'json',
    'application/json+x',
    'multipart/mixed; boundary=a',
    'multipart/form-datax; boundary=a',
    'a/+json',
  ].map((type) => request('POST', '/v1/decide', '{}', { 'Content-Type': type })),
  invalid_request: [
    request('POST', '/v1/decide', '{}', { 'Content-Length': '2\r\nContent-Length: 2' }),
    request('POST', '/v1/decide', '{}', { 'Content-Length': '2\r\nContent-Length: 3' }),
    request('POST', '/v1/decide', '{}', { 'Content-Length': '' }),
    request('POST', '/v1/decide', '', { 'Content-Length': null, 'Transfer-Encoding': 'gzip' }),
    request('POST', '/v1/decide', '', { 'Content-Length': null, 'Transfer-Encoding': 'gzip, chunked' }),
    request('GET', '/health', null, { Host: 'a\r\nHost: b' }),
  ],
};

for (const [type, causes] of Object.entries(CAUSES) as [ErrorType, readonly string[]][]) {
  onBoth(`${type}: what brings it out`, async (t, transport) => {
    const { ask, unexpected } = await serve(t, transport);
    for (const cause of causes) {
      const response = await ask(cause);
      t.equal(response.status, ERRORS[type].status, cause);
      t.equal(errorType(response), type, cause);
      t.match(response.headers.get('x-request-id'), /^req_/);
      t.equal(response.headers.get('x-request-id'), response.headers.get('x-typesafe-request-id'));
      t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    }
    t.strictSame(unexpected, []);
  });
}

onBoth('request_timeout: a body that stops coming', async (t, transport) => {
  const clock = new FakeClock();
  const { client } = await serve(t, transport, undefined, { clock });
  const connection = await client();
  await connection.send(request('POST', '/v1/decide', '{"st', { 'Content-Length': '100' }));
  await clock.armed();
  clock.advance(8_000);
  const response = await connection.response();
  t.equal(response.status, 408);
  t.equal(errorType(response), 'request_timeout');
  t.equal(response.headers.get('connection'), 'close');
  t.equal(await connection.untilClosed(), '');
  t.equal(clock.timers, 0, 'no timer is left');
});

onBoth('overloaded: more bodies at a time than memory is set aside for', async (t, transport) => {
  const [arrived, go] = [deferred(), deferred()];
  const decide = async () => {
    arrived.resolve();
    await go.promise;
    return '{}';
  };
  const { client, ask } = await serve(t, transport, decide, { bodyMemoryBytes: 10 });
  const first = await client();
  await first.send(request('POST', '/v1/decide', '"6byte"'));
  await arrived.promise;
  const refused = await ask(request('POST', '/v1/decide', '"6byte"'));
  t.equal(refused.status, 503);
  t.equal(errorType(refused), 'overloaded');
  t.equal(refused.headers.get('retry-after'), '1');
  go.resolve();
  t.equal((await first.response()).status, 200);
  t.equal((await ask(request('POST', '/v1/decide', '"6byte"'))).status, 200, 'the memory is given back');
});

onBoth('every type a door throws is answered as the table says', async (t, transport) => {
  const decide = async ({ body }: { body: Buffer }): Promise<string> => {
    throw new ApiError(JSON.parse(body.toString()) as ErrorType, 'why', { retryAfterSeconds: 2.2 });
  };
  const { ask, unexpected, access, logged } = await serve(t, transport, decide);
  const types = Object.keys(ERRORS) as ErrorType[];
  for (const type of types) {
    const response = await ask(request('POST', '/v1/decide', JSON.stringify(type)));
    t.equal(response.status, ERRORS[type].status, type);
    t.strictSame(JSON.parse(response.body), { error: 'why', type });
    t.equal(response.headers.get('retry-after'), '3', 'whole seconds');
  }
  await logged(types.length);
  t.strictSame(unexpected, []);
  t.strictSame(
    access.map(({ status }) => status),
    types.map((type) => ERRORS[type].status),
  );
});

onBoth('every 503 carries Retry-After, of one second at least', async (t, transport) => {
  const seconds = [undefined, 0, -5, 0.1, 17];
  const { ask } = await serve(t, transport, async ({ body }) => {
    const given = seconds[Number(body.toString())];
    throw new ApiError('overloaded', 'why', given === undefined ? {} : { retryAfterSeconds: given });
  });
  for (const [at, expected] of ['1', '1', '1', '1', '17'].entries()) {
    const response = await ask(request('POST', '/v1/decide', String(at)));
    t.equal(response.headers.get('retry-after'), expected);
  }
});

onBoth('internal_error: a door that throws anything else', async (t, transport) => {
  const failures = [new Error('secret'), 'a string', undefined, { type: 'not_found' }];
  const { ask, unexpected } = await serve(t, transport, ({ body }) => {
    const failure = failures[Number(body.toString())];
    if (body.length > 1) return Promise.reject(failure);
    throw failure;
  });
  for (const body of ['0', '1', '2', '3', ' 0', ' 1']) {
    const response = await ask(request('POST', '/v1/decide', body));
    t.equal(response.status, 500);
    t.equal(errorType(response), 'internal_error');
    t.notMatch(response.body, /secret|string/);
  }
  t.strictSame(unexpected, [...failures, failures[0], failures[1]]);
  t.equal((await ask(request('GET', '/health'))).status, 200);
});
