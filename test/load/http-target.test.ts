import { type Test, test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import { HttpTarget, probeServer } from '../../src/load/index.js';
import { PATIENCE_MS } from '../support/until.js';
import { numbered } from './simulation.js';
import { ANSWER, sendJson, stubServer } from './stub-server.js';

const never = new AbortController().signal;
const request = { shape: 'test', body: Buffer.from('{"state":""}') };

function target(t: Test, url: string, token: string | undefined = undefined, connections = 2): HttpTarget {
  const made = new HttpTarget(new URL(url), token, connections);
  t.teardown(() => made.close());
  return made;
}

test('an answer counts its decisions and input tokens', async (t) => {
  let received = {};
  const { url } = await stubServer(t, ({ method, url, headers }, response, body) => {
    received = { method, url, body, token: headers.authorization, type: headers['content-type'] };
    sendJson(response, 200, ANSWER);
  });
  const outcome = await target(t, `${url}/v1/systemone`, 'dk_x').send(request, never);
  t.strictSame(outcome, { answered: true, decisions: 2, inputTokens: 220 });
  t.strictSame(received, {
    method: 'POST',
    url: '/v1/systemone',
    body: '{"state":""}',
    token: 'Bearer dk_x',
    type: 'application/json',
  });
});

test('anything else is a failure with a status and a type', async (t) => {
  const replies: [status: number, body: string, type: string][] = [
    [503, '{"error":"busy","type":"overloaded"}', 'overloaded'],
    [
      429,
      '{"error":{"message":"Wait.","type":"requests","param":null,"code":"rate_limited"}}',
      'rate_limited',
    ],
    [400, '{"error":{"message":"No.","code":1}}', 'unknown'],
    [502, '<html>bad gateway</html>', 'unknown'],
    [500, '{"type":"two\\nlines"}', 'unknown'],
    [500, '[1]', 'unknown'],
    [200, '{}', 'invalid_response'],
    [200, 'null', 'invalid_response'],
    [200, '', 'invalid_response'],
  ];
  let reply = replies[0] as (typeof replies)[number];
  const { url } = await stubServer(t, (_, response) => {
    response.writeHead(reply[0]).end(reply[1]);
  });
  const server = target(t, url);
  for (reply of replies) {
    const [status, body, type] = reply;
    t.strictSame(await server.send(request, never), { answered: false, status, type }, body);
  }
});

test('a question that the Decisions API refuses is no decision', async (t) => {
  const answers = [{ type: 'predicate', probability: 0.5 }, { type: 'refusal' }, { type: 'refusal' }];
  const { url } = await stubServer(t, (_, response) => sendJson(response, 200, { ...ANSWER, answers }));
  const outcome = await target(t, `${url}/v1/decisions`).send(request, never);
  t.strictSame(outcome, { answered: true, decisions: 1, inputTokens: 220 });
});

test('a usage that is not a number counts as 0 tokens', async (t) => {
  const { url } = await stubServer(t, (_, response) =>
    sendJson(response, 200, { ...ANSWER, usage: { input_tokens: 'many' } }),
  );
  t.match(await target(t, url).send(request, never), { answered: true, inputTokens: 0 });
});

test('failures of the connection have no status', async (t) => {
  const { url } = await stubServer(t, (request, response) => {
    if (request.url === '/endless') response.writeHead(200).end(Buffer.alloc(5 * 1024 * 1024, ' '));
    else request.socket.destroy();
  });
  const lost = await target(t, url).send(request, never);
  t.match(lost, { answered: false, status: null, type: /^(UND_ERR_SOCKET|ECONNRESET)$/ });
  const endless = await target(t, `${url}/endless`).send(request, never);
  t.match(endless, { answered: false, status: null, type: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
});

test('connections are bounded and used again', async (t) => {
  const held: (() => void)[] = [];
  const { url, sockets } = await stubServer(t, (_, response) => {
    held.push(() => sendJson(response, 200, ANSWER));
    if (held.length === 2) for (const release of held.splice(0)) release();
  });
  const server = target(t, url, undefined, 2);
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => server.send(request, never)));
  t.ok(outcomes.every(({ answered }) => answered));
  t.equal(sockets(), 2);
});

test('an aborted request ends', async (t) => {
  const { url } = await stubServer(t, () => {});
  const cut = new AbortController();
  const sent = target(t, url).send(request, cut.signal);
  cut.abort();
  t.match(await sent, { answered: false, status: null });
});

test('a probe reports the model and the latency of a lone request', async (t) => {
  let asked = 0;
  const { url } = await stubServer(t, (_, response) => {
    asked += 1;
    sendJson(response, 200, { ...ANSWER, model: 'stub\u001b[2J' });
  });
  const endpoint = new URL(`${url}/v1/systemone`);
  const context = { clock: systemClock, timeoutMs: PATIENCE_MS, stop: never };
  const probe = await probeServer(target(t, endpoint.href), endpoint, numbered(), context);
  const { model, lone_ms } = probe as NonNullable<typeof probe>;
  t.equal(model, 'stub\\u{1b}[2J', 'control characters do not reach the terminal');
  t.ok(lone_ms > 0);
  t.equal(asked, 5);
});

test('a probe explains why a server cannot be measured', async (t) => {
  const { url } = await stubServer(t, (request, response) => {
    const path = request.url ?? '';
    if (path === '/silent') return;
    if (path === '/lost') request.socket.destroy();
    else if (path === '/other') sendJson(response, 200, { choices: [] });
    else if (path === '/402') sendJson(response, 402, { error: 'no credit\u001b', type: 'out_of_credit' });
    else sendJson(response, Number(path.slice(1)), { error: 'no', type: 'some_type' });
  });
  for (const [path, message] of [
    ['/401', /^token: the server does not accept it \(401\)\. Give --token, or set DECIDER_TOKEN\.$/],
    ['/404', /^path: http:\S+ has no \/404 \(404\)\./],
    ['/402', /refused the first request \(402 out_of_credit\): no credit\\u\{1b\}$/],
    ['/503', /refused the first request \(503 some_type\): no$/],
    ['/other', /is not a server of decisions: its response has no answers\.$/],
    [
      '/lost',
      /^url: http:\S+ cannot be reached \((UND_ERR_SOCKET|ECONNRESET)\): the connection was closed before/,
    ],
    ['/silent', /cannot be reached \(no response within 0\.2 s\)/],
  ] as const) {
    const endpoint = new URL(url + path);
    const timeoutMs = path === '/silent' ? 200 : PATIENCE_MS;
    const context = { clock: systemClock, timeoutMs, stop: never };
    const probe = probeServer(target(t, endpoint.href), endpoint, numbered(), context);
    await t.rejects(probe, { message }, path);
  }
});

test('a probe can be stopped', async (t) => {
  const stop = new AbortController();
  const { url } = await stubServer(t, () => stop.abort());
  const endpoint = new URL(url);
  const context = { clock: systemClock, timeoutMs: PATIENCE_MS, stop: stop.signal };
  t.equal(await probeServer(target(t, url), endpoint, numbered(), context), null);
});
