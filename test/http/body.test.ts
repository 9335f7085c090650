import { createHash } from 'node:crypto';
import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { request } from '../support/http/raw-client.js';
import { deferred, errorType, onBoth, serve, uwsMissing } from '../support/http/serving.js';
import { random, seedFromEnvironment } from '../support/random.js';

const digest = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

onBoth('a body of exactly 32 MiB is accepted, whole', async (t, transport) => {
  const { ask } = await serve(t, transport, async ({ body }) => JSON.stringify(digest(body)));
  const body = Buffer.alloc(LIMITS.bodyBytes);
  for (let at = 0; at < body.length; at += 4_096) body.writeUInt32LE(at, at);
  const head = request('POST', '/v1/decide', '', { 'Content-Length': String(body.length) });
  const response = await ask(Buffer.concat([Buffer.from(head), body]));
  t.equal(response.status, 200);
  t.equal(response.body, JSON.stringify(digest(body)));
});

onBoth('one byte more is refused before it is sent, and the connection closes', async (t, transport) => {
  const { client } = await serve(t, transport);
  const connection = await client();
  await connection.send(
    request('POST', '/v1/decide', '', { 'Content-Length': String(LIMITS.bodyBytes + 1) }),
  );
  const response = await connection.response();
  t.equal(errorType(response), 'body_too_large');
  t.match(JSON.parse(response.body).error, /33554432/);
  t.equal(response.headers.get('connection'), 'close');
  t.equal(await connection.untilClosed(), '');
});

onBoth('a body in many packets arrives whole, with what follows it', async (t, transport) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer } = random(seed);
  const { client } = await serve(t, transport, async ({ body }) => JSON.stringify(digest(body)));
  const connection = await client();
  for (let round = 0; round < 5; round += 1) {
    const body = Array.from({ length: 2_000 }, () => String.fromCharCode(32 + integer(90))).join('');
    const bytes = request('POST', '/v1/decide', body);
    const start = bytes.length - body.length;
    const parts = [bytes.slice(0, start)];
    for (let at = 0; at < body.length; ) {
      const next = at + 1 + integer(100);
      parts.push(body.slice(at, next));
      at = next;
    }
    await connection.sendParts(parts);
    t.equal((await connection.response()).body, JSON.stringify(digest(body)));
  }
});

onBoth('an empty body reaches the app', async (t, transport) => {
  const { client } = await serve(t, transport);
  const connection = await client();
  for (let round = 0; round < 3; round += 1) {
    await connection.send(request('POST', '/v1/decide', ''));
    t.equal(JSON.parse((await connection.response()).body).length, 0);
  }
});

onBoth('the body of a refused request is discarded and the connection stays open', async (t, transport) => {
  const { client, access, logged } = await serve(t, transport);
  const connection = await client();
  const body = 'GET /v1/models HTTP/1.1\r\n\r\n'.repeat(1_000);
  for (const [path, type, status] of [
    ['/nowhere', 'application/json', 404],
    ['/v1/models', 'application/json', 405],
    ['/v1/decide', 'multipart/mixed', 415],
  ] as const) {
    await connection.send(request('POST', path, body, { 'Content-Type': type }));
    t.equal((await connection.response()).status, status);
  }
  await connection.send(request('GET', '/health', '{}'));
  t.equal((await connection.response()).status, 200, 'a body on GET is thrown away too');
  await connection.send(request('POST', '/v1/decide', '{}'));
  t.equal((await connection.response()).status, 200);
  await logged(5);
  t.equal(access.length, 5, 'no body was taken for a request');
});

onBoth('a body without a length ends the connection', async (t, transport) => {
  const { client, access, logged } = await serve(t, transport);
  for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
    const connection = await client();
    const bytes = request('POST', '/v1/decide', '', { 'Content-Length': null, ...headers });
    await connection.send(bytes);
    const response = await connection.response();
    t.equal(errorType(response), 'length_required');
    t.equal(response.headers.get('connection'), 'close');
    t.equal(await connection.untilClosed(), '');
  }
  await logged(2);
  t.equal(access.length, 2);
});

onBoth('Expect: 100-continue is answered and the body then read', async (t, transport) => {
  const { client } = await serve(t, transport);
  const connection = await client();
  const got = deferred<string>();
  connection.socket.once('data', (chunk) => got.resolve(chunk.toString('latin1')));
  await connection.send(request('POST', '/v1/decide', '', { 'Content-Length': '2', Expect: '100-continue' }));
  t.match(await got.promise, /^HTTP\/1.1 100 Continue\r\n\r\n/);
  await connection.send('{}');
  t.equal((await connection.response()).status, 200);
});

/** As Java's client writes it, for one. */
test('Expect: 100-Continue is answered in any case (node)', async (t) => {
  for (const value of ['100-Continue', '100-CONTINUE']) {
    const { client } = await serve(t, 'node');
    const connection = await client();
    const got = deferred<string>();
    connection.socket.once('data', (chunk) => got.resolve(chunk.toString('latin1')));
    await connection.send(request('POST', '/v1/decide', '', { 'Content-Length': '2', Expect: value }));
    t.match(await got.promise, /^HTTP\/1.1 100 Continue\r\n\r\n/);
    await connection.send('{}');
    t.equal((await connection.response()).status, 200);
  }
});

test('Expect: 100-Continue: a body that comes without an answer to it is read (uws)', {
  skip: uwsMissing,
}, async (t) => {
  const { client } = await serve(t, 'uws');
  const connection = await client();
  await connection.send(request('POST', '/v1/decide', '', { 'Content-Length': '2', Expect: '100-Continue' }));
  await connection.send('{}');
  t.equal((await connection.response()).status, 200);
});

onBoth('an Expect of another kind is ignored', async (t, transport) => {
  const { ask } = await serve(t, transport);
  t.equal((await ask(request('POST', '/v1/decide', '{}', { Expect: 'wonders' }))).status, 200);
});
