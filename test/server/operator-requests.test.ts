import { once } from 'node:events';
import { connect } from 'node:net';
import { type Test, test } from 'tap';
import { OPERATOR_API, OPERATOR_ERRORS } from '../../src/api/index.js';
import { LINGER_IDLE_MS } from '../../src/http/transport/linger.js';
import { PIPELINED_MAX } from '../../src/http/transport/node-turns.js';
import { SEND_PATIENCE_MS } from '../../src/http/transport/send-pace.js';
import { MAX_HEADER_BYTES, MAX_HEADER_FIELDS } from '../../src/http/transport/transport-types.js';
import type { OperatorHandlers } from '../../src/server/operator/answer-operator.js';
import { listenForOperator } from '../../src/server/operator/listener.js';
import { OPERATOR_BODY_BYTES_MAX, OPERATOR_BODY_MS_MAX } from '../../src/server/operator/operator-body.js';
import { jsonReply } from '../../src/server/operator/operator-reply.js';
import { PATH_ID_CHARACTERS_MAX } from '../../src/server/operator/operator-target.js';
import { fakeClock } from '../support/fake-clock.js';
import { OPERATOR_TOKEN, operatorSend } from '../support/operator.js';
import { until } from '../support/until.js';

const JSON_TYPE = 'application/json';
const KEEP_ALIVE_MS = 33_000;
/** After an eighth of it, the rest is more than the buffers of two sockets, of which one can grow to 32 MiB. */
const LONG_BYTES = 48 * 1024 * 1024;

/** A listener whose routes answer what they are called with. */
async function listen(
  t: Test,
  hosts: readonly string[] = [],
  trustedProxies: readonly string[] = [],
  requestMs?: number,
  filling = '',
  onCall: (id: string) => void = () => {},
) {
  const clock = fakeClock();
  const handlers = Object.fromEntries(
    OPERATOR_API.map(({ name }) => [
      name,
      ({ query, ...call }: { query: URLSearchParams; body: { id?: string } }) => {
        onCall(call.body.id ?? '');
        return jsonReply(200, { name, ...call, query: `${query}`, ...(filling !== '' && { filling }) });
      },
    ]),
  ) as unknown as OperatorHandlers;
  const listener = await listenForOperator({
    host: '127.0.0.1',
    port: 0,
    token: OPERATOR_TOKEN,
    hosts,
    trustedProxies,
    keepAliveMs: KEEP_ALIVE_MS,
    clock,
    ...(requestMs !== undefined && { requestMs }),
    console: null,
    handlers,
    onUnexpected: (error) => t.fail(String(error)),
  });
  t.teardown(() => listener.stop());
  return { url: listener.url, clock };
}

/** A request with header fields that `fetch` does not send; resolves with the whole response. */
function raw(t: Test, url: string, head: readonly string[], body = ''): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.teardown(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return new Promise((resolve) => socket.once('close', () => resolve(text)));
}

const AUTHORIZED = `Authorization: Bearer ${OPERATOR_TOKEN}`;

test('every route is called with the id, the query, the body and the client', async (t) => {
  const { url } = await listen(t);
  for (const { name, method, path } of OPERATOR_API) {
    const target = path.replace('{id}', 'a%20b%2f%C3%A9');
    const body = method === 'GET' ? undefined : { a: [1] };
    const response = await operatorSend(url, method, `${target}?x=1`, body);
    t.equal(response.status, 200);
    t.equal(response.headers.get('cache-control'), 'no-store');
    t.strictSame(await response.json(), {
      name,
      id: path === target ? '' : 'a b/é',
      query: 'x=1',
      body: body ?? {},
      actor: 'operator:127.0.0.1',
    });
    const other = await operatorSend(url, 'DELETE', target);
    t.equal(other.status, 405);
    t.match(other.headers.get('allow'), method);
    const unauthorized = await fetch(url + target, { method });
    t.equal(unauthorized.status, 401);
    t.match(await unauthorized.json(), { type: 'unauthorized' });
  }
  for (const path of ['/api/', '/api/none', '/api/keys/', '/api/keys/a/b/roll', '/api/keys/a/roll/']) {
    t.equal((await operatorSend(url, 'GET', path)).status, 404, path);
  }
});

test(`ids in paths: up to ${PATH_ID_CHARACTERS_MAX} characters, percent-encoded UTF-8`, async (t) => {
  const { url } = await listen(t);
  const roll = async (id: string) => (await operatorSend(url, 'POST', `/api/keys/${id}/roll`)).json();
  const longest = 'é'.repeat(PATH_ID_CHARACTERS_MAX);
  t.match(await roll(encodeURIComponent(longest)), { id: longest });
  for (const id of [encodeURIComponent(`${longest}x`), '%', '%zz', '%ff', '%c3']) {
    t.match(await roll(id), { type: 'invalid_request', field: 'id' }, id);
  }
});

test(`bodies: up to ${OPERATOR_BODY_BYTES_MAX} bytes of JSON in UTF-8`, async (t) => {
  const { url } = await listen(t);
  const post = async (body: string | Uint8Array, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': JSON_TYPE, ...headers },
      body,
    });
    // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
    const json = (await response.json()) as any;
    if (!response.ok)
      t.equal(response.status, OPERATOR_ERRORS[json.type as keyof typeof OPERATOR_ERRORS].status);
    return json;
  };
  const longest = JSON.stringify('x'.repeat(OPERATOR_BODY_BYTES_MAX - 2));
  t.equal((await post(longest)).body.length, OPERATOR_BODY_BYTES_MAX - 2);
  t.match(await post(`${longest} `), { type: 'body_too_large' });
  t.match(await post('{}', { 'content-type': 'application/json; charset=utf-8' }), { body: {} });
  t.match(await post(''), { body: {} });
  for (const body of ['{', '{}x', new Uint8Array([0x22, 0xff, 0x22]), '['.repeat(16_000)]) {
    t.match(await post(body), { type: 'invalid_json' });
  }
  for (const headers of [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/jsonp' },
    { 'content-encoding': 'gzip' },
  ]) {
    t.match(await post('{}', headers), { type: 'unsupported_media_type' });
  }
});

test('a body that does not arrive is given up, and its connection closed', async (t) => {
  const { url, clock } = await listen(t);
  /** The response, when the server has closed the connection because nothing more has come. */
  const closed = async (response: Promise<string>) => {
    let isClosed = false;
    void response.then(() => {
      isClosed = true;
    });
    await until(() => {
      clock.advance(LINGER_IDLE_MS);
      return isClosed;
    });
    return response;
  };
  const head = ['POST /api/keys HTTP/1.1', 'Host: 127.0.0.1', AUTHORIZED, 'Content-Length: 9'];
  const answered = raw(t, url, head, '{');
  await clock.armed();
  clock.advance(OPERATOR_BODY_MS_MAX);
  const text = await closed(answered);
  t.match(text, /^HTTP\/1\.1 408 /);
  t.match(text, /"type":"request_timeout"/);
  t.match(text, /^Connection: close$/im);
  const unread = raw(t, url, ['POST /api/keys HTTP/1.1', 'Host: 127.0.0.1', 'Content-Length: 9']);
  t.match(await closed(unread), /^HTTP\/1\.1 401 /, 'refused before the body was read');
});

test('a connection whose request does not arrive in time is closed', async (t) => {
  const { url } = await listen(t, [], [], 100);
  const head = ['POST /api/keys HTTP/1.1', 'Host: 127.0.0.1', AUTHORIZED];
  t.equal(await raw(t, url, [...head, 'Content-Length: 9'], '{'), '');
  // Empty lines before a request are ignored.
  t.equal(await raw(t, url, [''], 'GET /ready HTTP/1.1\r\nHost: 127.0'), '');
});

test('bytes that are not a request of HTTP/1.1 are refused in the form of every error', async (t) => {
  const { url } = await listen(t);
  const host = 'Host: localhost';
  for (const [head, type] of [
    [['GET /ready HTTP/1.1', 'a b: c', host], 'invalid_request'],
    [['GET /ready HTTP/1.1', host, 'Content-Length: 1', 'Transfer-Encoding: chunked'], 'invalid_request'],
    [['noise'], 'http_version_not_supported'],
    [['GET /ready HTTP/1.0', host, AUTHORIZED], 'http_version_not_supported'],
    [['CONNECT example.com:80 HTTP/1.1', host], 'http_version_not_supported'],
    [['GET /ready HTTP/1.1', host, `X: ${'x'.repeat(MAX_HEADER_BYTES)}`], 'headers_too_large'],
    [
      ['GET /ready HTTP/1.1', host, ...Array.from({ length: MAX_HEADER_FIELDS }, (_, at) => `X-${at}: 1`)],
      'headers_too_large',
    ],
  ] as const) {
    const [first = '', body = ''] = (await raw(t, url, head)).split('\r\n\r\n');
    t.match(first, new RegExp(`^HTTP/1.1 ${OPERATOR_ERRORS[type].status} `), head[0]);
    t.match(first, /^Content-Type: application\/json/im);
    t.match(first, /^Connection: close$/im);
    t.match(JSON.parse(body), { type });
  }
});

test('nothing runs behind the last response of a connection', async (t) => {
  const ran: string[] = [];
  const { url } = await listen(t, [], [], undefined, '', (id) => ran.push(id));
  const host = 'Host: localhost';
  const large = `Content-Length: ${OPERATOR_BODY_BYTES_MAX + 1}`;
  const body = 'x'.repeat(OPERATOR_BODY_BYTES_MAX + 1);
  const behind = (id: string) =>
    [
      'POST /api/workspaces HTTP/1.1',
      host,
      AUTHORIZED,
      `Content-Type: ${JSON_TYPE}`,
      `Content-Length: ${id.length + 10}`,
      '',
      `{"id": "${id}"}`,
    ].join('\r\n');
  const cases: Record<string, readonly [head: readonly string[], body: string]> = {
    413: [['POST /api/keys HTTP/1.1', host, AUTHORIZED, large], body],
    401: [['POST /api/keys HTTP/1.1', host, large], body],
    404: [['POST /api/none HTTP/1.1', host, AUTHORIZED, large], body],
    505: [['GET /ready HTTP/1.0', host, AUTHORIZED], ''],
    431: [
      ['GET /ready HTTP/1.1', host, ...Array.from({ length: MAX_HEADER_FIELDS }, (_, at) => `X-${at}: 1`)],
      '',
    ],
  };
  for (const [status, [head, sent]] of Object.entries(cases)) {
    const text = await raw(t, url, head, sent + behind(`w${status}`));
    t.equal(text.split(/HTTP\/1\.1 \d/).length - 1, 1, status);
    t.match(text, new RegExp(`^HTTP/1.1 ${status} `));
  }
  t.strictSame(ran, []);
  // The same request where it may run.
  const [head = '', content = ''] = behind('control').split('\r\n\r\n');
  await raw(t, url, [head, 'Connection: close'], content);
  t.strictSame(ran, ['control']);
});

test('a body that is malformed behind another request does not keep its connection', async (t) => {
  // Node's own limit would close it too.
  const { url } = await listen(t, [], [], 600_000);
  const first = ['GET /api/keys HTTP/1.1', 'Host: localhost', AUTHORIZED, '', ''].join('\r\n');
  const second = ['POST /api/keys HTTP/1.1', 'Host: localhost', AUTHORIZED, 'Transfer-Encoding: chunked'];
  const text = await raw(t, url, [first + second.join('\r\n')], 'zz\r\n');
  t.equal(text.split('HTTP/1.1 200').length - 1, 1);
  t.equal(text.split('HTTP/1.1 ').length - 1, 1);
});

test('header fields may have any name', async (t) => {
  const { url } = await listen(t);
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
    const head = [
      'GET /api/keys HTTP/1.1',
      'Host: localhost',
      `${name}: a`,
      `${name}: b`,
      'Connection: close',
    ];
    t.match(await raw(t, url, head), /^HTTP\/1\.1 401 /, name);
    t.match(await raw(t, url, [...head, AUTHORIZED]), /^HTTP\/1\.1 200 /, name);
  }
});

test('an expectation that is not known is ignored; 100-continue is answered', async (t) => {
  const { url } = await listen(t);
  const head = [
    'POST /api/keys HTTP/1.1',
    'Host: 127.0.0.1',
    AUTHORIZED,
    'Connection: close',
    'Content-Length: 2',
  ];
  t.match(
    await raw(t, url, [...head, `Content-Type: ${JSON_TYPE}`, 'Expect: tea'], '{}'),
    /^HTTP\/1\.1 200 /,
  );
  const text = await raw(t, url, [...head, `Content-Type: ${JSON_TYPE}`, 'Expect: 100-Continue'], '{}');
  t.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
});

test('a reader of a long response that stops is disconnected; a slow one gets all of it', async (t) => {
  const { url, clock } = await listen(t, [], [], undefined, 'x'.repeat(LONG_BYTES));
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.teardown(() => void socket.destroy());
  socket.write(['GET /api/keys HTTP/1.1', 'Host: localhost', AUTHORIZED, '', ''].join('\r\n'));
  await once(socket, 'readable');
  // The server waits for room.
  await until(() => clock.timers() > 0);
  clock.advance(SEND_PATIENCE_MS - 1);
  t.equal(clock.timers(), 1);
  let bytes = 0;
  while (bytes < LONG_BYTES / 8) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) await once(socket, 'readable');
    else bytes += chunk.length;
  }
  await until(() => clock.timers() > 0);
  clock.advance(SEND_PATIENCE_MS);
  const closed = once(socket, 'close');
  socket.on('error', () => {}).resume();
  await closed;
  const whole = await operatorSend(url, 'GET', '/api/keys');
  t.ok((await whole.text()).length > LONG_BYTES);
});

test('an idle connection stays open as long as the settings say', async (t) => {
  const { url } = await listen(t);
  const response = await operatorSend(url, 'GET', '/api/keys');
  t.equal(response.headers.get('keep-alive'), `timeout=${KEEP_ALIVE_MS / 1_000}`);
  await response.text();
});

test('every response to a browser closes its connection: it repeats no change by itself', async (t) => {
  const { url } = await listen(t);
  for (const sign of ['User-Agent: Mozilla/5.0 (X11; Linux x86_64)', `Origin: ${url}`]) {
    const text = await raw(t, url, ['GET /api/keys HTTP/1.1', 'Host: 127.0.0.1', AUTHORIZED, sign]);
    t.match(text, /\r\nConnection: close\r\n/i);
  }
});

test(`${PIPELINED_MAX} requests may wait for the one before them; one more is the last that is read`, async (t) => {
  const { url } = await listen(t);
  const next = ['GET /api/keys HTTP/1.1', 'Host: localhost', AUTHORIZED, '', ''].join('\r\n');
  const last = next.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const answers = async (waiting: number) => {
    const text = await raw(t, url, [(next.repeat(waiting) + last).slice(0, -4)]);
    return text.split('HTTP/1.1 200 OK').length - 1;
  };
  t.equal(await answers(PIPELINED_MAX), PIPELINED_MAX + 1);
  t.equal(await answers(PIPELINED_MAX + 5), PIPELINED_MAX + 1);
});

test('the host must be an address, localhost or a name of the settings; the page must be of this site', async (t) => {
  const { url } = await listen(t, ['ops.example.com']);
  const status = async (path: string, host: string, ...fields: string[]) => {
    const head = [`GET ${path} HTTP/1.1`, `Host: ${host}`, AUTHORIZED, 'Connection: close', ...fields];
    const text = await raw(t, url, head);
    const found = Number(text.slice(9, 12));
    if (found === 403) t.match(text, '"type":"host_not_allowed"');
    t.notMatch(text, /console is not served/);
    return found;
  };
  for (const host of [
    '127.0.0.1',
    '127.0.0.1:9464',
    '[::1]:1',
    'localhost',
    'x.localhost:1',
    'ops.example.com',
  ]) {
    t.equal(await status('/api/keys', host), 200, host);
    t.equal(await status('/api/keys', host, `Origin: http://${host}`), 200, host);
  }
  for (const host of ['evil.example.com', 'ops.example.com.evil.com', 'localhost@evil.com', '']) {
    t.equal(await status('/api/keys', host), 403, host);
  }
  for (const field of [
    'Origin: http://evil.example.com',
    'Origin: null',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Site: same-site',
  ]) {
    t.equal(await status('/api/keys', 'localhost', field), 403, field);
  }
  t.equal(await status('/api/keys', 'localhost', 'Sec-Fetch-Site: same-origin'), 200);
  // Prometheus uses any name, and no browser can send the token.
  t.equal(await status('/none', 'evil.example.com'), 404);
});

test('the actor is the client that a trusted proxy names', async (t) => {
  const actor = async (url: string) => {
    const head = ['GET /api/keys HTTP/1.1', 'Host: localhost', AUTHORIZED, 'Connection: close'];
    return /"actor": "(.*)"/.exec(await raw(t, url, [...head, 'X-Forwarded-For: 192.0.2.7']))?.[1];
  };
  t.equal(await actor((await listen(t)).url), 'operator:127.0.0.1');
  t.equal(await actor((await listen(t, [], ['127.0.0.1'])).url), 'operator:192.0.2.7');
});
