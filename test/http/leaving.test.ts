import { ClientGone } from '../../src/http/transport/transport-types.js';
import { fakeClock } from '../support/fake-clock.js';
import { request } from '../support/http/raw-client.js';
import { deferred, onBoth, serve } from '../support/http/serving.js';

onBoth('a client that disconnects while it sends its body', async (t, transport) => {
  const clock = fakeClock();
  const { client, ask, access, logged, unexpected } = await serve(t, transport, undefined, { clock });
  const connection = await client();
  await connection.send(request('POST', '/v1/decide', '{"st', { 'Content-Length': '100' }));
  await clock.armed();
  connection.destroy();
  await logged(1);
  t.equal(access[0]?.status, 499);
  t.equal(access[0]?.error, undefined, 'there is no error response');
  t.equal(clock.timers(), 0, 'no timer is left');
  t.strictSame(unexpected, []);
  t.equal((await ask(request('GET', '/health'))).status, 200);
});

for (const [how, leave] of [
  ['resets the connection', 'resetAndDestroy'],
  ['closes the connection', 'destroy'],
  ['closes its sending side', 'end'],
] as const) {
  onBoth(
    `a client that ${how} before its answer: the signal fires, nothing is written`,
    async (t, transport) => {
      const [arrived, left, go] = [deferred(), deferred<unknown>(), deferred()];
      const serving = await serve(t, transport, async ({ signal }) => {
        signal.addEventListener('abort', () => left.resolve(signal.reason));
        arrived.resolve();
        await go.promise;
        return '{}';
      });
      const connection = await serving.client();
      await connection.send(request('POST', '/v1/decide', '{}'));
      await arrived.promise;
      connection.socket[leave]();
      t.ok((await left.promise) instanceof ClientGone);
      go.resolve();
      await serving.logged(1);
      t.equal(serving.access[0]?.status, 499);
      t.equal((await serving.ask(request('GET', '/health'))).status, 200);
    },
  );
}

onBoth('clients that reset the connection after a CONNECT', async (t, transport) => {
  const { client, ask } = await serve(t, transport);
  for (let round = 0; round < 20; round += 1) {
    const connection = await client();
    await connection.send(request('CONNECT', '/health', 'x'.repeat(100_000)));
    connection.socket.resetAndDestroy();
  }
  t.equal((await ask(request('GET', '/health'))).status, 200);
});

onBoth('work abandoned because the client disconnected is not a failure', async (t, transport) => {
  const arrived = deferred();
  const serving = await serve(t, transport, ({ signal }) => {
    arrived.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  const connection = await serving.client();
  await connection.send(request('POST', '/v1/decide', '{}'));
  await arrived.promise;
  connection.destroy();
  await serving.logged(1);
  t.strictSame(serving.unexpected, []);
});

onBoth('a client that disconnects while it receives its answer', async (t, transport) => {
  const answer = JSON.stringify('x'.repeat(20_000_000));
  const { client, ask } = await serve(t, transport, async () => answer);
  const connection = await client();
  const started = deferred();
  connection.socket.once('data', () => {
    connection.socket.pause();
    started.resolve();
  });
  await connection.send(request('POST', '/v1/decide', '{}'));
  await started.promise;
  connection.socket.resetAndDestroy();
  t.equal((await ask(request('POST', '/v1/decide', '{}'))).body.length, answer.length);
});

onBoth('the signal is not aborted after the client has received its answer', async (t, transport) => {
  let signal: AbortSignal | undefined;
  const { client, ask } = await serve(t, transport, async (call) => {
    signal = call.signal;
    return '{}';
  });
  const connection = await client();
  await connection.send(request('POST', '/v1/decide', '{}'));
  await connection.response();
  connection.destroy();
  await ask(request('GET', '/health'));
  t.equal(signal?.aborted, false);
});
