import { once } from 'node:events';
import { connect } from 'node:net';
import { systemClock } from '../../src/base/index.js';
import { ListenError, startHttp } from '../../src/http/index.js';
import { fakeClock } from '../support/fake-clock.js';
import { freePort } from '../support/free-port.js';
import { fakeApp, fakeCaller } from '../support/http/fake-app.js';
import { RawClient, request } from '../support/http/raw-client.js';
import { deferred, onBoth, serve } from '../support/http/serving.js';

onBoth('a stop waits for the request in progress and refuses new connections', async (t, transport) => {
  const [arrived, go] = [deferred(), deferred()];
  const decide = async () => {
    arrived.resolve();
    await go.promise;
    return '"answered"';
  };
  // Not one that another process may get as soon as nothing listens on it.
  const own = { port: await freePort() };
  const { client, port, server } = await serve(t, transport, decide, own);
  const [busy, idle, silent] = [await client(), await client(), await client()];
  await idle.send(request('GET', '/health'));
  await idle.response();
  await busy.send(request('POST', '/v1/decide', '{}'));
  await arrived.promise;

  let stopped = false;
  const stopping = server.stop().then(() => {
    stopped = true;
  });
  await t.rejects(RawClient.connect(port), { code: 'ECONNREFUSED' });
  t.equal(stopped, false);
  go.resolve();
  const response = await busy.response();
  t.equal(response.body, '"answered"');
  t.equal(response.headers.get('connection'), 'close');
  await stopping;
  for (const connection of [busy, idle, silent]) t.equal(await connection.untilClosed(), '');
});

onBoth('a stop waits for a body that is still arriving', async (t, transport) => {
  const clock = fakeClock();
  const { client, server } = await serve(t, transport, undefined, { clock });
  const connection = await client();
  await connection.send(request('POST', '/v1/decide', '{', { 'Content-Length': '2' }));
  await clock.armed();
  const stopping = server.stop();
  await connection.send('}');
  t.equal((await connection.response()).status, 200);
  await stopping;
});

onBoth('a stop waits until a slow reader has a long answer', async (t, transport) => {
  const answer = JSON.stringify('x'.repeat(20_000_000));
  const { client, server } = await serve(t, transport, async () => answer);
  const connection = await client();
  const started = deferred();
  connection.socket.once('data', () => {
    connection.socket.pause();
    started.resolve();
  });
  await connection.send(request('POST', '/v1/decide', '{}'));
  await started.promise;
  const stopping = server.stop();
  connection.socket.resume();
  const { body } = await connection.response();
  t.ok(body === answer, `${body.length} characters`);
  await stopping;
});

onBoth(
  'a stop does not wait for a client that keeps its connection open after the last response',
  async (t, transport) => {
    const { port, server } = await serve(t, transport, undefined, { clock: fakeClock() });
    const tooLarge = request('POST', '/v1/decide', 'x', { 'Content-Length': '99999999' });
    const refused = ['noise\r\n\r\n', request('CONNECT', '/health', 'x')];
    for (const bytes of transport === 'uws' ? [tooLarge] : [tooLarge, ...refused]) {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => {});
      t.teardown(() => socket.destroy());
      socket.write(bytes);
      t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 (413|505|400) /);
    }
    await server.stop();
  },
);

onBoth('a stop of an idle server, twice', async (t, transport) => {
  const { server, port } = await serve(t, transport, undefined, { port: await freePort() });
  await Promise.all([server.stop(), server.stop()]);
  await t.rejects(RawClient.connect(port), { code: 'ECONNREFUSED' });
});

onBoth(
  'the port of a stopped server can be used again; a port in use is an error that says so',
  async (t, transport) => {
    // Not one that an outgoing connection may get meanwhile.
    const first = await serve(t, transport, undefined, { port: await freePort() });
    await t.rejects(serve(t, transport, undefined, { port: first.port }), {
      name: 'ListenError',
      message: new RegExp(
        `^cannot listen on 127\\.0\\.0\\.1:${first.port}: the address is in use.*Use another address or port`,
      ),
    });
    await first.server.stop();
    const second = await serve(t, transport, undefined, { port: first.port });
    t.equal(second.port, first.port);
  },
);

onBoth(
  'an address that does not exist on this machine, and invalid ports, are refused',
  async (t, transport) => {
    const app = fakeApp(() => fakeCaller());
    const common = { transport, app, clock: systemClock, onAccess() {}, onUnexpected() {} };
    for (const [host, port] of [
      ['192.0.2.1', 0],
      ['127.0.0.1', 70_000],
      ['127.0.0.1', -1],
      ['127.0.0.1', 1.5],
    ] as const) {
      await t.rejects(startHttp({ ...common, host, port }), ListenError);
    }
  },
);
