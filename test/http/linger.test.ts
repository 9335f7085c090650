import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { systemClock } from '../../src/base/index.js';
import { createConnectionBounds } from '../../src/http/transport/connection-bounds.js';
import { LINGER_BYTES_MAX, LINGER_IDLE_MS, LINGER_MS, Linger } from '../../src/http/transport/linger.js';
import type { Handler } from '../../src/http/transport/transport-types.js';
import { loadUws } from '../../src/http/transport/uws-transport.js';
import { fakeClock } from '../support/fake-clock.js';
import { RawClient, request } from '../support/http/raw-client.js';
import { errorType, onBoth, serve, uwsMissing } from '../support/http/serving.js';

const MIB = 1024 * 1024;
const tooLarge = (bytes: number) => request('POST', '/v1/decide', '', { 'Content-Length': String(bytes) });

/** The time that the server waits for a client does not pass: it is not what these tests are about. */
const PATIENT = () => ({ clock: fakeClock() });

onBoth('a client that sends its whole body before it reads gets the 413', async (t, transport) => {
  const { client, access, logged } = await serve(t, transport, undefined, PATIENT());
  const body = Buffer.alloc(LIMITS.bodyBytes + 8 * MIB, 'x');
  for (let times = 0; times < 2; times += 1) {
    const connection = await client();
    connection.socket.pause();
    await connection.send(Buffer.concat([Buffer.from(tooLarge(body.length)), body]));
    t.notOk(connection.socket.destroyed, 'all of it was taken');
    connection.socket.resume();
    const response = await connection.response();
    t.equal(errorType(response), 'body_too_large');
    t.equal(response.headers.get('connection'), 'close');
    t.equal(await connection.untilClosed(), '');
  }
  await logged(2);
  t.equal(access.length, 2);
});

onBoth('a client that sends all of its chunks before it reads gets the 411', async (t, transport) => {
  const { client } = await serve(t, transport, undefined, PATIENT());
  const connection = await client();
  const head = request('POST', '/v1/decide', null, { 'Transfer-Encoding': 'chunked' });
  const chunk = Buffer.concat([
    Buffer.from(`${MIB.toString(16)}\r\n`),
    Buffer.alloc(MIB, 'x'),
    Buffer.from('\r\n'),
  ]);
  connection.socket.pause();
  const chunks = Array.from({ length: 40 }, () => chunk);
  await connection.send(Buffer.concat([Buffer.from(head), ...chunks, Buffer.from('0\r\n\r\n')]));
  t.notOk(connection.socket.destroyed, 'all of it was taken');
  connection.socket.resume();
  t.equal(errorType(await connection.response()), 'length_required');
  t.equal(await connection.untilClosed(), '');
});

const PYTHON = `
import http.client, sys
for times in range(3):
    connection = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=100)
    connection.request('POST', '/v1/decide', b'x' * int(sys.argv[2]), {'Content-Type': 'application/json'})
    response = connection.getresponse()
    print(response.status, len(response.read()) > 0)
`;
const pythonMissing = () => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'python3 is not installed';
  }
};
const noPython = pythonMissing();

for (const transport of ['node', 'uws'] as const) {
  const skip = noPython || (transport === 'uws' && uwsMissing);
  test(`Python's http.client gets the 413, three times of three (${transport})`, { skip }, async (t) => {
    const { port } = await serve(t, transport, undefined, PATIENT());
    const size = String(LIMITS.bodyBytes + MIB);
    const { stdout } = await promisify(execFile)('python3', ['-c', PYTHON, String(port), size]);
    t.equal(stdout, '413 True\n'.repeat(3));
  });
}

onBoth(
  'after a 413, the server waits a limited time for a body that stops arriving',
  async (t, transport) => {
    const clock = fakeClock();
    const { client } = await serve(t, transport, undefined, { clock });
    const connection = await client();
    await connection.send(tooLarge(2 * LIMITS.bodyBytes));
    t.equal((await connection.response()).status, 413);
    await clock.armed();
    await connection.send('x');
    clock.advance(LINGER_IDLE_MS * 2);
    t.equal(await connection.untilClosed(), '');
    t.equal(clock.timers(), 0, 'no timer is left');
  },
);

onBoth('after a 413, a body that does not end is cut off', async (t, transport) => {
  const { client, ask } = await serve(t, transport);
  const connection = await client();
  await connection.send(tooLarge(10 * LINGER_BYTES_MAX));
  t.equal((await connection.response()).status, 413);
  const piece = Buffer.alloc(MIB);
  let sent = 0;
  while (!connection.socket.destroyed && sent < 4 * LINGER_BYTES_MAX) {
    await connection.send(piece);
    sent += piece.length;
  }
  t.ok(sent < 4 * LINGER_BYTES_MAX, `${sent} bytes`);
  t.equal((await ask(request('GET', '/health'))).status, 200);
});

test('Linger: ends with a byte over the limit', async (t) => {
  const clock = fakeClock();
  let ends = 0;
  const linger = new Linger(clock, () => {
    ends += 1;
  });
  linger.discarded(LINGER_BYTES_MAX);
  t.equal(ends, 0);
  linger.discarded(1);
  t.equal(ends, 1);
  clock.advance(LINGER_MS);
  t.strictSame([ends, clock.timers()], [1, 0]);
});

test('Linger: ends when nothing comes for two seconds, and after half a minute of anything', async (t) => {
  const ended = (each: number) => {
    const clock = fakeClock();
    let at: number | undefined;
    const linger = new Linger(clock, () => {
      at = clock.monotonic();
    });
    while (at === undefined) {
      clock.advance(each);
      if (at === undefined) linger.discarded(1);
    }
    t.equal(clock.timers(), 0);
    return at;
  };
  t.equal(ended(LINGER_IDLE_MS), LINGER_IDLE_MS);
  const busy = ended(LINGER_IDLE_MS - 1);
  t.ok(busy >= LINGER_MS && busy < LINGER_MS + LINGER_IDLE_MS, `${busy} ms`);
});

test('Linger: a stop leaves no timer', async (t) => {
  const clock = fakeClock();
  new Linger(clock, () => t.fail('ended')).stop();
  clock.advance(LINGER_MS);
  t.equal(clock.timers(), 0);
});

test('uws: an answer before the body has arrived is the last', { skip: uwsMissing }, async (t) => {
  const { listen } = await loadUws();
  const headers = [['Content-Type', 'application/json']] as const;
  const reply = { status: 503, headers, body: '{}', close: false };
  const handler: Handler = ({ onBody }) => new Promise((resolve) => onBody(() => resolve(reply)));
  const refuse = () => reply;
  const { port, stop } = await listen({
    host: '127.0.0.1',
    port: 0,
    tls: null,
    handler,
    refuse,
    refusePlain: refuse,
    keepAliveMs: 75_000,
    bounds: createConnectionBounds(),
    clock: systemClock,
  });
  t.teardown(stop);
  const connection = await RawClient.connect(port);
  await connection.send(request('POST', '/', '{', { 'Content-Length': '2' }));
  t.equal((await connection.response()).headers.get('connection'), 'close');
  await connection.send('}');
  t.equal(await connection.untilClosed(), '');
});
