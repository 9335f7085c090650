import { once } from 'node:events';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { OPERATOR_API, OPERATOR_ROUTES } from '../../src/api/index.js';
import { type Clock, systemClock } from '../../src/base/index.js';
import type { OperatorHandlers } from '../../src/server/operator/answer-operator.js';
import { OPERATOR_CONNECTIONS_MAX, STRANGER_CONNECTIONS_MAX } from '../../src/server/operator/connections.js';
import { listenForOperator } from '../../src/server/operator/listener.js';
import { jsonReply } from '../../src/server/operator/operator-reply.js';
import { PROBE_MS_MAX, Readiness } from '../../src/server/operator/readiness.js';
import { OPERATOR_TOKEN_FILE, operatorToken } from '../../src/server/operator/token.js';
import { fakeClock } from '../support/fake-clock.js';
import { OPERATOR_TOKEN, operatorFetch, operatorSettings } from '../support/operator.js';
import { dataFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const HANDLERS = Object.fromEntries(
  [...OPERATOR_ROUTES, ...OPERATOR_API].map(({ name }) => [name, () => jsonReply(200, { name })]),
) as unknown as OperatorHandlers;
const OPTIONS = {
  host: '127.0.0.1',
  port: 0,
  token: OPERATOR_TOKEN,
  hosts: [],
  trustedProxies: [],
  // Some tests leave connections idle, on a busy machine for long.
  keepAliveMs: 600_000,
  clock: systemClock,
  console: null,
};

async function listen(t: Test, handlers = HANDLERS, clock: Clock = systemClock) {
  const errors: unknown[] = [];
  const listener = await listenForOperator({
    ...OPTIONS,
    clock,
    handlers,
    onUnexpected: (error) => errors.push(error),
  });
  t.teardown(() => listener.stop());
  return { ...listener, errors };
}

test('every route answers with the token, and nothing answers without it', async (t) => {
  const { url } = await listen(t);
  for (const { name, path } of OPERATOR_ROUTES) {
    const answered = await operatorFetch(url, `${path}?x`);
    t.equal(answered.headers.get('cache-control'), 'no-store');
    t.match(await answered.json(), { name });
    const headers = { authorization: `bearer ${OPERATOR_TOKEN}` };
    const head = await fetch(url + path, { method: 'HEAD', headers });
    t.equal(head.status, 200);
    t.equal(await head.text(), '');
    const post = await fetch(url + path, { method: 'POST', headers });
    t.equal(post.status, 405);
    t.equal(post.headers.get('allow'), 'GET, HEAD');
    for (const authorization of ['', 'Bearer', `Bearer ${OPERATOR_TOKEN}x`, `Basic ${OPERATOR_TOKEN}`]) {
      const refused = await fetch(url + path, { headers: { authorization } });
      t.equal(refused.status, 401, authorization);
      t.equal(refused.headers.get('www-authenticate'), 'Bearer');
    }
  }
  t.equal((await operatorFetch(url, '/')).status, 404);
  t.equal((await fetch(`${url}/`)).status, 401, 'unknown paths too');
});

test('an error of a handler is answered 500 and reported; a port that is taken is refused', async (t) => {
  const failure = new Error('a gauge');
  const { url, errors } = await listen(t, {
    ...HANDLERS,
    metrics() {
      throw failure;
    },
  });
  const response = await operatorFetch(url, '/metrics');
  t.equal(response.status, 500);
  t.notMatch(await response.text(), 'gauge');
  t.strictSame(errors, [failure]);
  const port = Number(new URL(url).port);
  const taken = {
    ...OPTIONS,
    port,
    handlers: HANDLERS,
    onUnexpected: () => {},
  };
  await t.rejects(listenForOperator(taken), { name: 'ListenError' });
});

test(`it serves ${OPERATOR_CONNECTIONS_MAX} connections; one more is closed without an answer`, async (t) => {
  let arrived = 0;
  let allArrived = () => {};
  const full = new Promise<void>((resolve) => {
    allArrived = resolve;
  });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { url } = await listen(t, {
    ...HANDLERS,
    async ready(call) {
      arrived += 1;
      if (arrived === OPERATOR_CONNECTIONS_MAX) allArrived();
      await released;
      return HANDLERS.ready(call);
    },
  });
  const port = Number(new URL(url).port);
  const ask = () => {
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => void socket.destroy());
    socket.write(`GET /ready HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OPERATOR_TOKEN}\r\n\r\n`);
    return socket;
  };
  const sockets = Array.from({ length: OPERATOR_CONNECTIONS_MAX }, ask);
  const answers = sockets.map(async (socket) => String((await once(socket, 'data'))[0]));
  await full;
  const further = ask();
  let bytes = 0;
  further.on('data', (chunk) => {
    bytes += chunk.length;
  });
  // It may be closed by a reset.
  further.on('error', () => {});
  await new Promise((resolve) => further.once('close', resolve));
  t.equal(bytes, 0);
  t.equal(arrived, OPERATOR_CONNECTIONS_MAX);
  release();
  for (const answer of await Promise.all(answers)) t.match(answer, /^HTTP\/1\.1 200 /);
});

test('a refusal reaches a client that is still sending its body', async (t) => {
  // A refused connection is closed when its client sends nothing for a while.
  const { url } = await listen(t, HANDLERS, fakeClock());
  const { port, hostname } = new URL(url);
  const chunk = Buffer.alloc(256 * 1024, 'x');
  for (const [token, status] of [
    ['wrong', 401],
    [OPERATOR_TOKEN, 413],
  ] as const) {
    for (let round = 0; round < 10; round += 1) {
      const socket = connect(Number(port), hostname);
      t.teardown(() => void socket.destroy());
      const length = 16 * chunk.length;
      socket.write(
        `POST /api/workspaces HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
      );
      // It reads only after it has sent everything, as many clients do.
      socket.pause();
      for (let sent = 0; sent < length; sent += chunk.length)
        await new Promise<void>((resolve, reject) =>
          socket.write(chunk, (error) => (error ? reject(error) : resolve())),
        );
      socket.resume();
      t.match(String((await once(socket, 'data'))[0]), new RegExp(`^HTTP/1\\.1 ${status} `));
      await once(socket, 'close');
    }
  }
});

test('connections without the token do not keep the operator out', async (t) => {
  const { url } = await listen(t, HANDLERS);
  const { port, hostname } = new URL(url);
  const closed: number[] = [];
  const strangers = [];
  for (let at = 0; at <= STRANGER_CONNECTIONS_MAX; at += 1) {
    const socket = connect(Number(port), hostname);
    t.teardown(() => void socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => closed.push(at));
    await once(socket, 'connect');
    // Some are silent, some ask and do not read the answer.
    if (at % 2 === 1) socket.write('GET /ready HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50));
    strangers.push(socket);
  }
  await until(() => closed.length === 1);
  t.strictSame(closed, [0], 'the silent one that came first');
  for (let ask = 0; ask < 3; ask += 1) t.equal((await operatorFetch(url, '/ready')).status, 200);
  t.ok(closed.length <= 2, `${closed.length} of ${strangers.length} were closed`);
});

test('an idle connection with the token gives its place to another one', async (t) => {
  const { url } = await listen(t, HANDLERS);
  const { port, hostname } = new URL(url);
  const text = `GET /ready HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OPERATOR_TOKEN}\r\n\r\n`;
  const closed: number[] = [];
  for (let at = 0; at <= OPERATOR_CONNECTIONS_MAX; at += 1) {
    const socket = connect(Number(port), hostname);
    t.teardown(() => void socket.destroy());
    socket.on('close', () => closed.push(at));
    socket.write(text);
    t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 /);
  }
  await until(() => closed.length > 0);
  t.strictSame(closed, [0], 'the one whose request is longest ago');
});

test('the token: the setting, or a file of the data folder that is created once', async (t) => {
  const folder = t.testdir({});
  const file = join(folder, OPERATOR_TOKEN_FILE);
  t.equal(operatorToken(folder, 'x'.repeat(32)), 'x'.repeat(32));
  t.throws(() => statSync(file), 'nothing is created while the setting is used');
  const made = operatorToken(folder, '');
  t.match(made, /^op_[A-Za-z0-9]{43}$/);
  t.equal(readFileSync(file, 'utf8').trim(), made);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(operatorToken(folder, ''), made);
  chmodSync(file, 0o640);
  t.equal(operatorToken(folder, ''), made, 'a group may read it');
  chmodSync(file, 0o644);
  t.throws(() => operatorToken(folder, ''), { name: 'StartError', message: /accessible to all users/ });
  chmodSync(file, 0o600);
  writeFileSync(file, 'short');
  t.throws(() => operatorToken(folder, ''), { name: 'StartError', message: /must be 32 to 256/ });
  const missing = join(folder, 'none');
  t.throws(() => operatorToken(missing, ''), {
    name: 'StartError',
    message: /operator\.token cannot be used/,
  });
});

test('readiness: the reasons, and a write that fails or does not end', async (t) => {
  const clock = fakeClock();
  let probes = 0;
  let probe = async () => {};
  const reasons: string[] = [];
  const readiness = new Readiness({
    clock,
    reasons: () => reasons,
    place: 'The data folder',
    probe() {
      probes += 1;
      return probe();
    },
  });
  t.strictSame(await readiness.check(), []);
  reasons.push('loading');
  probe = () => Promise.reject(new Error('the disk is full'));
  t.strictSame(await readiness.check(), ['loading', 'the disk is full']);
  let end = () => {};
  probe = () =>
    new Promise((resolve) => {
      end = resolve;
    });
  probes = 0;
  const checks = [readiness.check(), readiness.check()];
  clock.advance(PROBE_MS_MAX);
  for (const found of await Promise.all(checks)) {
    t.match(found, ['loading', /^The data folder has not taken a write within 5 s\.$/]);
  }
  t.equal(probes, 1, 'both calls share a write');
  end();
  probe = async () => {};
  t.strictSame(await readiness.check(), ['loading']);
  t.strictSame(await readiness.check(), ['loading']);
  t.ok(probes > 1, 'the next call writes again');
});

test('ready and status of a server: models, lanes, devices, settings', async (t) => {
  const data = dataFolder(t);
  const environment = await operatorSettings();
  const { operatorUrl, decide } = await startTestServer(t, { ...environment, DECIDER_DATA: data });
  const url = operatorUrl as string;
  const ready = await operatorFetch(url, '/ready');
  t.equal(ready.status, 200);
  t.strictSame(await ready.json(), { ready: true, reasons: [] });
  t.equal((await decide({ state: 'x', questions: { q: { type: 'noul' } } })).status, 200);
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
  const status = (await (await operatorFetch(url, '/status')).json()) as any;
  t.match(status, {
    ready: true,
    reasons: [],
    version: /^\d+\.\d+\.\d+/,
    process: { id: process.pid, node: process.versions.node },
    backend: 'cpu',
    devices: [{ device: 'RAM' }],
    models: [
      {
        id: 'tiny-20260101',
        loaded: true,
        queue: { live: 0, batch: 0 },
        lanes: [
          {
            number: 1,
            device: 'CPU',
            state: 'free',
            wave: { tokens: 0, max: 512 },
            cells: { max: 8_192 },
            plans: 0,
          },
        ],
      },
    ],
    batches: {},
    store: { folder: data },
    settings: { engine: { threads: 1 }, operator: { token: '(set)' }, master_key: '(not set)' },
  });
  t.ok(status.uptime_seconds >= 0);
  t.ok(status.store.bytes > 0);
  const { used_bytes, free_bytes, total_bytes } = status.devices[0].memory;
  t.equal(used_bytes + free_bytes, total_bytes);
});

test('a server that stops is not ready, while it answers the requests in progress', async (t) => {
  const { url, operatorUrl, headers, stop } = await startTestServer(t, {
    ...(await operatorSettings()),
    DECIDER_HTTP_TRANSPORT: 'node',
  });
  const body = JSON.stringify({ state: 'x', questions: { q: { type: 'noul' } } });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.teardown(() => void socket.destroy());
  const fields = [
    'Host: x',
    'Connection: close',
    'Expect: 100-continue',
    `Authorization: ${headers.authorization}`,
    `Content-Length: ${body.length}`,
  ];
  socket.write(`POST /v1/decide HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
  t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 100 /);
  const health = connect(Number(new URL(url).port), '127.0.0.1');
  t.teardown(() => void health.destroy());
  const healthOf = async () => {
    health.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    return String((await once(health, 'data'))[0]);
  };
  t.match(await healthOf(), /^HTTP\/1\.1 200 /);
  const stopped = stop();
  t.match(await healthOf(), /^HTTP\/1\.1 503 [\s\S]*model_unavailable/);
  const ready = await operatorFetch(operatorUrl as string, '/ready');
  t.equal(ready.status, 503);
  t.strictSame(await ready.json(), { ready: false, reasons: ['The server is stopping.'] });
  socket.write(body);
  t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 /);
  await stopped;
});
