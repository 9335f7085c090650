import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { collectBody } from '../../src/http/body.js';
import { BodyMemory } from '../../src/http/body-memory.js';
import { isLoopback, newRequestId } from '../../src/http/index.js';
import { chooseTransport } from '../../src/http/transport/choose.js';
import { InFlight } from '../../src/http/transport/in-flight.js';
import { type BodyListener, ClientGone, type Transport } from '../../src/http/transport/types.js';
import { FakeClock } from './fake-clock.js';

test('isLoopback knows the addresses that leave the machine from those that do not', async (t) => {
  for (const host of ['127.0.0.1', '127.255.0.3', '::1', 'localhost', 'LOCALHOST'])
    t.ok(isLoopback(host), host);
  for (const host of [
    '0.0.0.0',
    '::',
    '',
    '128.0.0.1',
    '127.0.0.1.example',
    '127.example',
    'localhost.example',
  ]) {
    t.notOk(isLoopback(host), host);
  }
});

test('newRequestId makes 24 letters or digits', async (t) => {
  const ids = Array.from({ length: 100 }, newRequestId);
  t.ok(ids.every((id) => /^req_[A-Za-z0-9]{24}$/.test(id)));
  t.equal(new Set(ids).size, 100);
});

test('chooseTransport: auto falls back, a name does not', async (t) => {
  const uws: Transport = { name: 'uws', listen: () => Promise.reject(new Error('not in this test')) };
  const loads = async () => uws;
  const fails = () => Promise.reject(new Error('no binary'));
  t.equal((await chooseTransport('auto', loads)).name, 'uws');
  t.equal((await chooseTransport('uws', loads)).name, 'uws');
  t.equal((await chooseTransport('node', loads)).name, 'node');
  t.equal((await chooseTransport('auto', fails)).name, 'node');
  await t.rejects(chooseTransport('uws', fails), {
    name: 'ListenError',
    message: /"uws" does not load on Node\.js/,
  });
});

test('BodyMemory: the next block is not written to when a body has it', async (t) => {
  const turns = async () => {
    for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const memory = new BodyMemory(Number.MAX_SAFE_INTEGER);
  memory.take(LIMITS.bodyBytes).allocate();
  await new Promise((resolve) => setImmediate(resolve));
  const second = memory.take(LIMITS.bodyBytes).allocate().fill(1);
  await turns();
  t.ok(second.every((byte) => byte === 1));
  t.ok(memory.take(LIMITS.bodyBytes).allocate().buffer instanceof SharedArrayBuffer);
});

test('InFlight: empty resolves with the last to leave', async (t) => {
  const inFlight = new InFlight();
  await inFlight.empty();
  inFlight.enter();
  inFlight.enter();
  let empty = false;
  const waited = inFlight.empty().then(() => {
    empty = true;
  });
  inFlight.leave();
  await Promise.resolve();
  t.equal(empty, false);
  inFlight.leave();
  await waited;
  t.equal(empty, true);
});

/** A request whose body the test brings in by hand. */
function handFed(length: number) {
  const clock = new FakeClock();
  const gone = new AbortController();
  let listener: BodyListener = () => {};
  const incoming = {
    method: 'POST',
    target: '/',
    headers: [],
    signal: gone.signal,
    onBody(given: BodyListener) {
      listener = given;
    },
  };
  const body = collectBody(incoming, length, { stallMs: 8_000, totalMs: 60_000 }, clock);
  const feed = (text: string, last = false) => listener(Buffer.from(text), last);
  return { clock, gone, body, feed };
}

test('collectBody: a body that makes progress has a minute in all', async (t) => {
  const { clock, body, feed } = handFed(100);
  for (let at = 0; at < 8; at += 1) {
    clock.advance(7_400);
    feed('x');
  }
  clock.advance(799);
  t.equal(clock.timers, 1);
  clock.advance(1);
  await t.rejects(body, {
    type: 'request_timeout',
    message: 'Only 8 of 100 bytes of the body arrived in time.',
  });
  feed('a chunk too late is ignored');
  t.equal(clock.timers, 0);
});

test('collectBody: eight seconds without a byte are too long', async (t) => {
  const { clock, body, feed } = handFed(3);
  clock.advance(7_999);
  feed('a');
  clock.advance(7_999);
  feed('b');
  clock.advance(8_000);
  await t.rejects(body, { name: 'ApiError', message: 'Only 2 of 3 bytes of the body arrived in time.' });
});

test('collectBody: one buffer of the length announced, a copy of what came', async (t) => {
  const { clock, body, feed } = handFed(6);
  feed('abc');
  feed('');
  feed('def', true);
  const whole = await body;
  t.equal(whole.toString(), 'abcdef');
  t.equal(whole.buffer.byteLength, 6, 'not a part of a shared pool');
  t.equal(clock.timers, 0);
});

test('collectBody: the client that goes away is the reason', async (t) => {
  const { clock, gone, body } = handFed(6);
  gone.abort(new ClientGone());
  await t.rejects(body, ClientGone);
  t.equal(clock.timers, 0);
});

test('BodyMemory: large bodies get blocks that are used again, one body at a time', async (t) => {
  const memory = new BodyMemory(Number.MAX_SAFE_INTEGER);
  const held = Array.from({ length: 6 }, () => memory.take(LIMITS.bodyBytes));
  const buffers = held.map((place) => place.allocate());
  for (const buffer of buffers) t.equal(buffer.length, LIMITS.bodyBytes);
  t.equal(new Set(buffers.map(({ buffer }) => buffer)).size, 6, 'all different');
  const blocks = buffers.map(({ buffer }) => buffer).filter((each) => each instanceof SharedArrayBuffer);
  t.equal(blocks.length, 4);
  for (const place of held) place.release();
  const again = memory.take(2 ** 20);
  const buffer = again.allocate();
  t.equal(buffer.length, 2 ** 20);
  t.ok(blocks.includes(buffer.buffer as SharedArrayBuffer));
  t.notOk(
    memory.take(2 ** 20 - 1).allocate().buffer instanceof SharedArrayBuffer,
    'below, memory of its own',
  );
});
