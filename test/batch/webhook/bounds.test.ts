import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import { callWebhook } from '../../../src/batch/index.js';
import { answer, HOST, localGuard, Receiver } from '../../support/batch/receiver.js';

const DONE = { id: 'batch_0123456789abcdefghijklmn', status: 'done' } as const;
const MIB = 1024 * 1024;

/** What a call has come to by now; `open` while it goes on. */
async function outcome(call: Promise<string>): Promise<string> {
  const rounds = async () => {
    for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
    return 'open';
  };
  return Promise.race([call, rounds()]);
}

const SLOW: Record<string, string> = {
  'no byte': '',
  'half a header': 'HTTP/1.1 200 OK\r\ncontent-le',
  'an interim answer': 'HTTP/1.1 103 Early Hints\r\n\r\n',
};
for (const [name, bytes] of Object.entries(SLOW)) {
  test(`a receiver that answers ${name} has until the timeout`, async (t) => {
    const receiver = await Receiver.start(t, (socket) => socket.write(bytes));
    const guard = localGuard();
    const call = callWebhook(receiver.address(), DONE, guard);
    await receiver.asked();
    guard.clock.advance(LIMITS.webhookTimeoutMs - 1);
    t.equal(await outcome(call), 'open');
    guard.clock.advance(1);
    t.equal(await call, 'timeout');
    await receiver.left();
  });
}

test('a response of one byte per second does not extend the timeout', async (t) => {
  let socket: TLSSocket | undefined;
  const receiver = await Receiver.start(t, (caller) => {
    socket = caller;
  });
  const guard = localGuard();
  const call = callWebhook(receiver.address(), DONE, guard);
  await receiver.asked();
  for (const byte of 'HTTP/1.1 2') {
    t.equal(await outcome(call), 'open');
    socket?.write(byte);
    guard.clock.advance(LIMITS.webhookTimeoutMs / 10);
  }
  t.equal(await call, 'timeout');
  await receiver.left();
});

test('the timeout includes DNS', async (t) => {
  const receiver = await Receiver.start(t, (socket) => socket.write(answer(200)));
  let found = (_addresses: readonly string[]) => {};
  const guard = localGuard({ resolve: () => new Promise((resolve) => (found = resolve)) });
  const call = callWebhook(receiver.address(), DONE, guard);
  while ((await outcome(call)) === 'open' && guard.clock.timers() < 2);
  guard.clock.advance(LIMITS.webhookTimeoutMs);
  t.equal(await call, 'timeout');
  found(['127.0.0.1']);
  await outcome(new Promise(() => {}));
  t.equal(receiver.connections, 0, 'nothing is connected to afterwards');
});

test('the timeout includes the TLS handshake', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const guard = localGuard();
  const call = callWebhook(`https://${HOST}:${(server.address() as AddressInfo).port}/`, DONE, guard);
  const [socket] = (await once(server, 'connection')) as [Socket];
  socket.on('error', () => {}).resume();
  guard.clock.advance(LIMITS.webhookTimeoutMs);
  t.equal(await call, 'timeout');
  await once(socket, 'close');
});

test('a 2xx response counts as delivered without its body', async (t) => {
  const receiver = await Receiver.start(t, (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n.'),
  );
  t.equal(await callWebhook(receiver.address(), DONE, localGuard()), 'delivered');
  await receiver.left();
});

test('the body of a response is not read', async (t) => {
  const offered = 256 * MIB;
  const receiver = await Receiver.start(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${offered}\r\n\r\n`);
    const bytes = Buffer.alloc(MIB);
    let left = offered / MIB;
    const more = () => {
      while (left > 0 && !socket.destroyed) {
        left -= 1;
        if (!socket.write(bytes)) return;
      }
    };
    socket.on('drain', more);
    more();
  });
  t.equal(await callWebhook(receiver.address(), DONE, localGuard()), 'delivered');
  await receiver.left();
  t.ok(receiver.bytesTaken < 16 * MIB, `${receiver.bytesTaken} bytes left the receiver`);
});

for (const [bytes, expected] of [
  [LIMITS.webhookAnswerHeaderBytes, 'delivered'],
  [LIMITS.webhookAnswerHeaderBytes + 1, 'invalid_response'],
] as const) {
  test(`a response whose header has ${bytes} bytes is ${expected}`, async (t) => {
    // Node counts the reason and the fields.
    const rest = 'Whatevercontent-length0x'.length;
    const receiver = await Receiver.start(t, (socket) =>
      socket.write(answer(200, `x: ${'y'.repeat(bytes - rest)}`)),
    );
    t.equal(await callWebhook(receiver.address(), DONE, localGuard()), expected);
    await receiver.left();
  });
}

for (const [interim, expected] of [
  [LIMITS.webhookInterimAnswers, 'delivered'],
  [LIMITS.webhookInterimAnswers + 1, 'invalid_response'],
] as const) {
  test(`${interim} interim responses before the response: ${expected}`, async (t) => {
    const receiver = await Receiver.start(t, (socket) =>
      socket.write(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(interim)}${answer(200)}`),
    );
    t.equal(await callWebhook(receiver.address(), DONE, localGuard()), expected);
    await receiver.left();
  });
}
