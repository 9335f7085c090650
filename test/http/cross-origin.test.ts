import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { EXPOSED_HEADERS } from '../../src/http/cross-origin.js';
import { loadSettings } from '../../src/settings/index.js';
import { request } from '../support/http/raw-client.js';
import { onBoth, serve } from '../support/http/serving.js';

const APP = 'https://app.example.com';
const OPTIONS = { corsOrigins: [APP, 'http://localhost:3000'] };
const BODY = '{"state":"x"}';
const ASKS = {
  Origin: APP,
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization',
};

onBoth(
  'without the setting, nothing is sent to other origins and a preflight is 405',
  async (t, transport) => {
    const { ask } = await serve(t, transport);
    const preflight = await ask(request('OPTIONS', '/v1/decide', '', ASKS));
    t.equal(preflight.status, 405);
    const answer = await ask(request('POST', '/v1/decide', BODY, { Origin: APP }));
    for (const { headers } of [preflight, answer]) {
      t.strictSame([headers.get('access-control-allow-origin'), headers.get('vary')], [undefined, undefined]);
    }
  },
);

onBoth('a preflight of a listed origin', async (t, transport) => {
  const { ask, access } = await serve(t, transport, undefined, OPTIONS);
  for (const [path, methods] of [
    ['/v1/decide', 'POST'],
    ['/m/m/v1/decide', 'POST'],
    ['/v1/batches', 'POST, GET'],
    ['/v1/limits', 'GET'],
  ] as const) {
    const { status, headers, body } = await ask(request('OPTIONS', path, '', ASKS));
    t.strictSame([status, body, headers.get('access-control-allow-origin')], [200, '', APP], path);
    t.equal(headers.get('access-control-allow-methods'), methods);
    t.match(headers.get('access-control-allow-headers'), /^Authorization, .*\*$/);
    t.equal(headers.get('access-control-max-age'), '7200');
    t.equal(headers.get('vary'), 'Origin');
    t.equal(headers.get('access-control-allow-credentials'), undefined);
  }
  t.match(access[0], { method: 'OPTIONS', path: '/v1/decide', status: 200 });
});

onBoth('a preflight closes the connection, whatever its body', async (t, transport) => {
  const { client } = await serve(t, transport, undefined, OPTIONS);
  for (const length of [0, LIMITS.bodyBytes, LIMITS.bodyBytes + 1]) {
    const caller = await client();
    await caller.send(request('OPTIONS', '/v1/decide', '', { ...ASKS, 'Content-Length': String(length) }));
    const { status, headers } = await caller.response();
    t.strictSame([status, headers.get('connection')], [200, 'close'], String(length));
  }
});

onBoth('answers and errors to a listed origin can be read, with their headers', async (t, transport) => {
  const { ask } = await serve(t, transport, undefined, OPTIONS);
  for (const [path, body] of [
    ['/v1/decide', BODY],
    ['/v1/nothing', ''],
    ['/v1/batches', ''],
  ] as const) {
    const { headers } = await ask(request('POST', path, body, { Origin: 'http://localhost:3000' }));
    t.equal(headers.get('access-control-allow-origin'), 'http://localhost:3000', path);
    t.equal(headers.get('access-control-allow-credentials'), undefined);
    const exposed = headers.get('access-control-expose-headers')?.split(', ') ?? [];
    // `uWebSockets` is the library’s own.
    const safe = /^(date|connection|keep-alive|uwebsockets|content-(type|length)|vary|access-control-.*)$/;
    for (const name of [...headers.keys()].filter((each) => !safe.test(each))) {
      t.ok(exposed.map((each) => each.toLowerCase()).includes(name), name);
    }
  }
});

onBoth('other origins get no headers, and Vary names Origin', async (t, transport) => {
  const { ask } = await serve(t, transport, undefined, OPTIONS);
  for (const origin of [
    'https://evil.example',
    'null',
    `${APP}.evil.example`,
    'https://app.example.com:444',
    APP.toUpperCase(),
    '',
  ]) {
    const preflight = await ask(request('OPTIONS', '/v1/decide', '', { ...ASKS, Origin: origin }));
    t.equal(preflight.status, 405, origin);
    const answer = await ask(request('POST', '/v1/decide', BODY, { Origin: origin }));
    t.equal(answer.status, 200);
    for (const { headers } of [preflight, answer]) {
      t.equal(headers.get('access-control-allow-origin'), undefined, origin);
      t.equal(headers.get('vary'), 'Origin');
    }
  }
  const twice = request('POST', '/v1/decide', BODY, { Origin: APP }).replace(
    'Origin:',
    `Origin: ${APP}\r\nOrigin:`,
  );
  t.equal((await ask(twice)).headers.get('access-control-allow-origin'), undefined, 'two origins');
  const plain = await ask(request('OPTIONS', '/v1/decide', '', { Origin: APP }));
  t.equal(plain.status, 405, 'OPTIONS that is no preflight');
});

onBoth('the web console is not for other origins', async (t, transport) => {
  const { ask } = await serve(t, transport, undefined, OPTIONS);
  const { headers } = await ask(request('GET', '/console', '', { Origin: APP }));
  t.equal(headers.get('access-control-allow-origin'), undefined);
  t.equal((await ask(request('OPTIONS', '/console', '', ASKS))).status, 405);
});

test('http.cors_origins: origins as browsers write them, and nothing else', (t) => {
  const read = (value: string) =>
    loadSettings({ DECIDER_HTTP_CORS_ORIGINS: value }, undefined).http.cors_origins;
  t.strictSame(read('https://App.example.com, http://localhost:3000,https://a.example:443'), [
    APP,
    'http://localhost:3000',
    'https://a.example',
  ]);
  for (const value of [
    '*',
    'null',
    'app.example.com',
    'https://a.example/',
    'https://a.example/path',
    'ftp://a.example',
    'https://u@a.example',
    'https://*.example',
    'https://a.example?',
  ]) {
    t.throws(
      () => read(value),
      { message: /^DECIDER_HTTP_CORS_ORIGINS has the entry .* not an origin/ },
      value,
    );
  }
  t.end();
});

test('the headers that are exposed are named once', (t) => {
  t.equal(new Set(EXPOSED_HEADERS).size, EXPOSED_HEADERS.length);
  t.end();
});
