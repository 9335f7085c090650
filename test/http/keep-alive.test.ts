import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import { createBounds } from '../../src/http/index.js';
import { IDLE_CONNECTIONS_MAX, IdleConnections } from '../../src/http/transport/idle-connections.js';
import { RequestMemory } from '../../src/http/transport/request-memory.js';
import { certificateIn } from '../support/certificate.js';
import { RawClient, request } from '../support/http/raw-client.js';
import { echo, onBoth, serve } from '../support/http/serving.js';

const LIMITED_SERVER = fileURLToPath(new URL('../support/http/limited-server.js', import.meta.url));
const OPEN_FILES = 200;
const CLIENTS = 3 * OPEN_FILES;

test('a response says how long its connection stays open; then the server closes it', async (t) => {
  const { client } = await serve(t, 'node', echo, { keepAliveMs: 1_000 });
  const connection = await client();
  // Both at once: the second one could come when the time of the connection is over.
  await connection.send(request('GET', '/health').repeat(2));
  for (let count = 0; count < 2; count += 1) {
    const { status, headers } = await connection.response();
    t.equal(status, 200);
    t.equal(headers.get('keep-alive'), 'timeout=1');
  }
  t.equal(await connection.untilClosed(), '');
});

test('by default, a connection stays open for longer than load balancers keep it', async (t) => {
  const { ask } = await serve(t, 'node');
  const { headers } = await ask(request('GET', '/health'));
  t.equal(headers.get('keep-alive'), 'timeout=75');
});

const CHROMIUM =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const BODY = '{"state":"x"}';

onBoth('every response to a browser closes its connection, and no other', async (t, transport) => {
  const { client } = await serve(t, transport, echo, { corsOrigins: ['https://app.example'] });
  const requests = [
    ['GET', '/health', null, 200],
    ['GET', '/v1/models', null, 200],
    ['POST', '/v1/decide', BODY, 200],
    ['POST', '/v1/nothing', BODY, 404],
    ['GET', '/v1/decide', null, 405],
    ['POST', '/v1/decide', 'x'.repeat(100_000), 200],
    ['OPTIONS', '/v1/decide', '', 405],
  ] as const;
  const asks = { 'Access-Control-Request-Method': 'POST' };
  const callers = [
    [{ 'User-Agent': CHROMIUM }, true],
    [{ Origin: 'https://app.example', ...asks }, true],
    [{ Origin: 'null' }, true],
    [{ 'User-Agent': CHROMIUM, 'Sec-Fetch-Mode': 'cors', Origin: 'http://localhost' }, true],
    // What Node's `fetch` sends.
    [{ 'User-Agent': 'node', 'Sec-Fetch-Mode': 'cors' }, false],
    [{ 'User-Agent': 'curl/8.5.0 (Mozilla/5.0)' }, false],
    [{}, false],
  ] as const;
  for (const [headers, closes] of callers) {
    for (const [method, path, body, status] of requests) {
      const connection = await client();
      await connection.send(request(method, path, body, headers));
      const first = await connection.response();
      const place = `${method} ${path} ${JSON.stringify(headers)}`;
      if (method !== 'OPTIONS') t.equal(first.status, status, place);
      t.equal(first.headers.get('connection') === 'close', closes, place);
      if (closes) t.equal(await connection.untilClosed(), '', place);
      else {
        await connection.send(request('GET', '/health'));
        t.equal((await connection.response()).status, 200, place);
      }
    }
  }
});

test('beyond the maximum, the connection that is idle longest is closed', async (t) => {
  const idle = new IdleConnections();
  const sockets = Array.from({ length: IDLE_CONNECTIONS_MAX + 1 }, () => new Socket());
  const [first, second, ...rest] = sockets as [Socket, Socket, ...Socket[]];
  for (const socket of [first, second, ...rest.slice(0, -1)]) idle.add(socket);
  t.equal(sockets.filter(({ destroyed }) => destroyed).length, 0, 'as many as may be');
  // The first one has a request answered, and is then the last.
  idle.remove(first);
  idle.add(first);
  idle.add(rest.at(-1) as Socket);
  t.equal(first.destroyed, false);
  t.equal(second.destroyed, true);
  t.equal(sockets.filter(({ destroyed }) => destroyed).length, 1);

  const busy = rest[0] as Socket;
  idle.remove(busy);
  const closed = once(rest[1] as Socket, 'close');
  (rest[1] as Socket).destroy();
  await closed;
  idle.add(rest[1] as Socket);
  t.equal(
    idle.closeAll(),
    IDLE_CONNECTIONS_MAX - 2,
    'neither the busy one nor the one that its client closed',
  );
  t.equal(busy.destroyed, false);
  t.equal(idle.closeAll(), 0);
  busy.destroy();
});

for (const isSecure of [false, true]) {
  test(`new connections and incomplete heads count as idle, TLS: ${isSecure}`, async (t) => {
    const MAX = 4;
    const connections = { idle: new IdleConnections(MAX), requests: new RequestMemory() };
    const bounds = { ...createBounds(systemClock), connections };
    const tls = isSecure ? certificateIn(t.testdir({})) : null;
    const { port, client } = await serve(t, 'node', echo, { tls, bounds });
    const ask = async () => {
      const connection = await client();
      await connection.send(request('GET', '/health'));
      t.equal((await connection.response()).status, 200);
      return connection;
    };
    const first = await ask();
    const begun = await client();
    await begun.send('GET /health HTTP/1.1\r\nX: ');
    const silent = Array.from({ length: MAX - 2 }, () => connect(port, '127.0.0.1'));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    await ask();
    t.equal(await first.untilClosed(), '', 'the one that is idle longest is closed');
    await ask();
    t.equal(await begun.untilClosed(), '', 'then the one with a part of a head');
    for (const socket of silent) {
      const closed = once(socket, 'close');
      socket.resume();
      await ask();
      await closed;
    }
  });
}

test(`${CLIENTS} idle connections and ${OPEN_FILES} open files: every new client is answered`, async (t) => {
  const server = spawn(
    'sh',
    ['-c', `ulimit -n ${OPEN_FILES}; exec "$0" "$1"`, process.execPath, LIMITED_SERVER],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  t.teardown(() => server.kill('SIGKILL'));
  const [port] = (await once(createInterface(server.stdout), 'line')) as [string];
  const clients: RawClient[] = [];
  t.teardown(() => {
    for (const client of clients) client.socket.destroy();
  });
  let answered = 0;
  // The server looks at its descriptors every half second; meanwhile, new clients may be refused.
  while (answered < CLIENTS && server.exitCode === null && server.signalCode === null) {
    const client = await RawClient.connect(Number(port)).catch(() => null);
    if (client === null) continue;
    clients.push(client);
    await client.send(request('GET', '/health'));
    // While it is out of descriptors, a server closes a connection without a word.
    const response = await Promise.race([
      client.response().catch(() => null),
      client.untilClosed().then(() => null),
    ]);
    if (response?.status === 200) answered += 1;
  }
  t.equal(answered, CLIENTS);
});
