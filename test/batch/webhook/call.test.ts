import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { type Test, test } from 'tap';
import { callWebhook, WEBHOOK_REASONS, webhookReason } from '../../../src/batch/index.js';
import { answer, HOST, localGuard, Receiver } from '../../support/batch/receiver.js';
import { selfSigned } from '../../support/certificate.js';

const EARLY = selfSigned(HOST);
const DONE = { id: 'batch_0123456789abcdefghijklmn', status: 'done' } as const;

for (const status of [200, 201, 204, 299]) {
  test(`a response of ${status} is delivered`, async (t) => {
    const receiver = await Receiver.start(t, (socket) => socket.write(answer(status)));
    t.equal(await callWebhook(receiver.address(), DONE, localGuard()), 'delivered');
    await receiver.left();
    t.equal(receiver.requests.length, 1);
  });
}

for (const status of [300, 304, 400, 401, 404, 410, 429, 500, 503, 599]) {
  test(`a response of ${status} is a failed attempt`, async (t) => {
    const receiver = await Receiver.start(t, (socket) => socket.write(answer(status, 'retry-after: 1')));
    t.equal(await callWebhook(receiver.address(), DONE, localGuard()), `status_${status}`);
    await receiver.left();
    t.equal(receiver.requests.length, 1);
  });
}

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect of ${status} is not followed`, async (t) => {
    const other = await Receiver.start(t, (socket) => socket.write(answer(200)));
    const location = `location: ${other.address()}`;
    const receiver = await Receiver.start(t, (socket) => socket.write(answer(status, location)));
    t.equal(await callWebhook(receiver.address(), DONE, localGuard()), `status_${status}`);
    await receiver.left();
    t.equal(receiver.requests.length, 1);
    t.equal(other.connections, 0);
  });
}

for (const status of ['done', 'failed', 'cancelled'] as const) {
  test(`the request reports a batch that is ${status}, and nothing else`, async (t) => {
    const receiver = await Receiver.start(t, (socket) => socket.write(answer(200)));
    const batch = { secret: 'x', status, id: DONE.id };
    await callWebhook(receiver.address('/hook?token=a%20b&c'), batch, localGuard());
    const [head, body] = (receiver.requests[0] ?? '').split('\r\n\r\n') as [string, string];
    t.equal(body, `{"id":"${DONE.id}","status":"${status}"}`);
    const [line, ...headers] = head.split('\r\n');
    t.equal(line, 'POST /hook?token=a%20b&c HTTP/1.1');
    t.strictSame(headers.map((header) => header.toLowerCase()).sort(), [
      'connection: close',
      `content-length: ${body.length}`,
      'content-type: application/json',
      `host: ${HOST}:${receiver.port}`,
      'user-agent: decider',
    ]);
  });
}

test('an allowed host may be written in another case and with final dots', async (t) => {
  const receiver = await Receiver.start(t, (socket) => socket.write(answer(200)));
  const address = receiver.address('/', `${HOST.toUpperCase()}..`);
  t.equal(await callWebhook(address, DONE, localGuard()), 'delivered');
});

test('each call has a connection of its own', async (t) => {
  const receiver = await Receiver.start(t, (socket) => socket.write(answer(200, 'connection: keep-alive')));
  const guard = localGuard();
  for (let call = 1; call <= 3; call += 1) {
    t.equal(await callWebhook(receiver.address(), DONE, guard), 'delivered');
    await receiver.left();
    t.equal(receiver.connections, call);
  }
  t.equal(guard.clock.timers(), 0, 'no timer is left');
});

/** Sets variables of this process for the time of a test. */
function setVariables(t: Test, variables: Readonly<Record<string, string>>): void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  t.teardown(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  Object.assign(process.env, variables);
}

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

test('a proxy of the environment is not used', async (t) => {
  const receiver = await Receiver.start(t, (socket) => socket.write(answer(200)));
  const proxy = await Receiver.start(t, (socket) => socket.write(answer(200)));
  const variables = Object.fromEntries(PROXIES.map((name) => [name, `http://127.0.0.1:${proxy.port}`]));
  setVariables(t, { ...variables, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' });
  t.equal(await callWebhook(receiver.address(), DONE, localGuard()), 'delivered');
  t.equal(receiver.requests.length, 1);
  t.equal(proxy.connections, 0);
});

test('an untrusted certificate, or one of another host, is a failed attempt', async (t) => {
  const receiver = await Receiver.start(t, (socket) => socket.write(answer(200)));
  const { authorities, ...untrusting } = localGuard();
  setVariables(t, { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  t.equal(await callWebhook(receiver.address(), DONE, untrusting), 'tls_failed');
  const certificate = selfSigned('other.test');
  const other = await Receiver.start(t, (socket) => socket.write(answer(200)), certificate);
  const trusting = localGuard({ authorities: certificate.cert });
  t.equal(await callWebhook(other.address(), DONE, trusting), 'tls_failed');
  t.strictSame([receiver.requests, other.requests], [[], []]);
});

const BROKEN: Record<string, string> = {
  'no HTTP': 'hello\r\n\r\n',
  'two lengths': 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
  'another protocol': 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
  nothing: '',
  'half a header': 'HTTP/1.1 200 OK\r\ncontent-le',
  'an interim response': 'HTTP/1.1 100 Continue\r\n\r\n',
  'a status below 100': 'HTTP/1.1 099 Odd\r\n\r\n',
  'a status over 599': 'HTTP/1.1 600 Odd\r\ncontent-length: 0\r\n\r\n',
  'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
};
for (const [name, bytes] of Object.entries(BROKEN)) {
  test(`a receiver that answers ${name} and leaves is a failed attempt`, async (t) => {
    const receiver = await Receiver.start(t, (socket) => socket.end(bytes));
    t.equal(await callWebhook(receiver.address(), DONE, localGuard()), 'invalid_response');
    await receiver.left();
    t.equal(receiver.requests.length, 1, 'and is not asked again');
  });
}

test('a refused connection is a failed attempt', async (t) => {
  t.equal(await callWebhook(`https://${HOST}:1/`, DONE, localGuard()), 'no_connection');
});

/** Interim responses precede the final one (RFC 9110, 15.2). */
const INTERIM: Record<string, readonly string[]> = {
  '100': ['HTTP/1.1 100 Continue\r\n\r\n'],
  '102': ['HTTP/1.1 102 Processing\r\n\r\n'],
  '103 with fields': ['HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'],
  '199, which is not known': ['HTTP/1.1 199 Odd\r\n\r\n'],
  '100, 102 and 103': ['HTTP/1.1 100 \r\n\r\n', 'HTTP/1.1 102 \r\n\r\n', 'HTTP/1.1 103 \r\n\r\n'],
  '100 in two pieces': ['HTTP/1.1 100 Con', 'tinue\r\n\r\n'],
};
for (const [name, pieces] of Object.entries(INTERIM)) {
  for (const [status, expected] of [
    [200, 'delivered'],
    [500, 'status_500'],
  ] as const) {
    test(`a receiver that answers ${name} before ${status} is called once: ${expected}`, async (t) => {
      const inOne = await Receiver.start(t, (socket) => socket.end(pieces.join('') + answer(status)));
      t.equal(await callWebhook(inOne.address(), DONE, localGuard()), expected);
      const apart = await Receiver.start(t, async (socket) => {
        for (const piece of [...pieces, answer(status)]) {
          await new Promise((resolve) => socket.write(piece, resolve));
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
      t.equal(await callWebhook(apart.address(), DONE, localGuard()), expected);
      await apart.left();
      t.strictSame([inOne.requests.length, apart.requests.length], [1, 1]);
    });
  }
}

const UNUSUAL: Record<string, string> = {
  'HTTP/1.0': 'HTTP/1.0 200 OK\r\n\r\n',
  'a body without length, and leaves': 'HTTP/1.1 200 OK\r\n\r\nok',
  'more than its length': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n',
  'a damaged body': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzz',
  'the offer of an upgrade': 'HTTP/1.1 200 OK\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n',
  'no reason': 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n',
};
for (const [name, bytes] of Object.entries(UNUSUAL)) {
  test(`a receiver that answers 200 with ${name} has accepted the call`, async (t) => {
    const receiver = await Receiver.start(t, (socket) => socket.end(bytes));
    t.equal(await callWebhook(receiver.address(), DONE, localGuard()), 'delivered');
    await receiver.left();
    t.equal(receiver.requests.length, 1);
  });
}

test('a receiver that answers before it has read the body has accepted the call', async (t) => {
  const { cert } = EARLY;
  const server = createServer(EARLY, (socket) => {
    socket.on('error', () => {});
    socket.write(answer(202, 'connection: close'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = `https://${HOST}:${(server.address() as AddressInfo).port}/`;
  t.equal(await callWebhook(address, DONE, localGuard({ authorities: cert })), 'delivered');
});

test('a receiver that does not speak TLS, or resets the connection, is a failed attempt', async (t) => {
  for (const [answerer, expected] of [
    [(socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'tls_failed'],
    [(socket: Socket) => socket.on('data', () => socket.resetAndDestroy()), 'tls_failed'],
  ] as const) {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      answerer(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const address = `https://${HOST}:${(server.address() as AddressInfo).port}/`;
    t.equal(await callWebhook(address, DONE, localGuard()), expected);
  }
});

test('every failure is a reason of the metric', async (t) => {
  for (const reason of WEBHOOK_REASONS) {
    t.equal(webhookReason(reason === 'status' ? 'status_404' : reason), reason);
  }
});
