import { test } from 'tap';
import { PIPELINED_MAX } from '../../src/http/transport/node-turns.js';
import { request } from '../support/http/raw-client.js';
import { deferred, onBoth, serve } from '../support/http/serving.js';

onBoth('1,000 requests one after another on one connection', async (t, transport) => {
  const { client, server } = await serve(t, transport);
  t.equal(server.transport, transport);
  const connection = await client();
  for (let round = 0; round < 1_000; round += 1) {
    connection.send(request('POST', '/v1/decide', String(round)));
    const { status, body } = await connection.response();
    if (status !== 200 || JSON.parse(body).text !== String(round))
      t.fail(`request ${round}: ${status} ${body}`);
  }
});

onBoth('200 requests at the same time, each with its own answer', async (t, transport) => {
  const all = deferred();
  let arrived = 0;
  const { client } = await serve(t, transport, async ({ body }) => {
    arrived += 1;
    if (arrived === 200) all.resolve();
    await all.promise;
    return body.toString();
  });
  const answers = Array.from({ length: 200 }, async (_, at) => {
    const connection = await client();
    await connection.send(request('POST', '/v1/decide', String(at)));
    return (await connection.response()).body;
  });
  t.strictSame(
    await Promise.all(answers),
    answers.map((_, at) => String(at)),
  );
});

onBoth('a head in many packets', async (t, transport) => {
  const { client } = await serve(t, transport);
  const connection = await client();
  const bytes = request('POST', '/v1/decide', '{}');
  const start = bytes.indexOf('\r\n') + 2;
  await connection.sendParts([bytes.slice(0, start), ...bytes.slice(start)]);
  t.equal((await connection.response()).status, 200);
});

onBoth(
  'a request line in two packets: answered, but uws takes some cuts for another version',
  async (t, transport) => {
    const { client } = await serve(t, transport);
    const bytes = request('GET', '/health');
    const statuses = new Map<string, number>();
    for (const first of [
      'G',
      'GET',
      'GET /he',
      'GET /health',
      'GET /health HTTP/1',
      'GET /health HTTP/1.1\r',
    ]) {
      const connection = await client();
      await connection.sendParts([first, bytes.slice(first.length)]);
      statuses.set(first, (await connection.response()).status);
    }
    for (const [first, status] of statuses) {
      const lost = transport === 'uws' && first.includes('HTTP');
      t.ok(status === 200 || (lost && status === 505), `${JSON.stringify(first)}: ${status}`);
    }
  },
);

onBoth('requests sent ahead of their answers: in order where no answer waits', async (t, transport) => {
  const { client } = await serve(t, transport);
  const connection = await client();
  await connection.send(
    request('GET', '/health') + request('GET', '/v1/models') + request('GET', '/nowhere'),
  );
  t.equal((await connection.response()).body, '{"status":"ok"}');
  t.match((await connection.response()).body, /"list"/);
  t.equal((await connection.response()).status, 404);
});

onBoth(
  'requests sent ahead while an answer waits: in order, or the connection closes',
  async (t, transport) => {
    const go = deferred();
    const { client, ask } = await serve(t, transport, async ({ signal, body }) => {
      signal.addEventListener('abort', () => go.resolve());
      if (transport === 'uws') await go.promise;
      return body.toString();
    });
    const connection = await client();
    await connection.send(request('POST', '/v1/decide', '1') + request('POST', '/v1/decide', '2'));
    if (transport === 'uws') t.equal(await connection.untilClosed(), '');
    else t.strictSame([(await connection.response()).body, (await connection.response()).body], ['1', '2']);
    t.equal((await ask(request('GET', '/health'))).status, 200);
  },
);

test('node: 100 requests may wait for the one before them; one more is the last that is read', async (t) => {
  for (const [waiting, answered] of [
    [PIPELINED_MAX, PIPELINED_MAX + 1],
    [PIPELINED_MAX + 1, PIPELINED_MAX + 1],
  ] as const) {
    const [arrived, go] = [deferred(), deferred()];
    const { client } = await serve(t, 'node', async () => {
      arrived.resolve();
      await go.promise;
      return '{}';
    });
    const connection = await client();
    await connection.send(request('POST', '/v1/decide', '{}'));
    await arrived.promise;
    await connection.sendParts([request('GET', '/health').repeat(waiting)]);
    go.resolve();
    for (let at = 0; at < answered; at += 1) t.equal((await connection.response()).status, 200);
    if (waiting > PIPELINED_MAX) t.equal(await connection.untilClosed(), '');
    else {
      await connection.send(request('GET', '/health'));
      t.equal((await connection.response()).status, 200, 'it is kept');
    }
  }
});

onBoth('Connection: close is honoured', async (t, transport) => {
  const { client } = await serve(t, transport);
  const connection = await client();
  await connection.send(request('GET', '/health', null, { Connection: 'close' }));
  t.equal((await connection.response()).status, 200);
  t.equal(await connection.untilClosed(), '');
});

onBoth('fetch understands the answers', async (t, transport) => {
  const { port } = await serve(t, transport);
  const options = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } };
  const response = await fetch(`http://127.0.0.1:${port}/v1/decide`, options);
  t.equal(response.status, 200);
  t.equal(((await response.json()) as { length: number }).length, 2);
});
