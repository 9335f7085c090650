import { once } from 'node:events';
import { type Test, test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import type { BatchApp } from '../../src/http/index.js';
import { fakeApp, fakeCaller } from '../support/http/fake-app.js';
import { deferred, serve } from '../support/http/serving.js';
import { ask, connectHttp2 } from '../support/http2.js';
import { PROXIES } from '../support/proxy.js';
import { scaled } from '../support/scale.js';
import { startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const REQUEST = { state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } };
const LIVE = scaled({ short: 20, long: 200 });
const BATCH_BYTES = scaled({ short: 2 * 1024 * 1024, long: LIMITS.bodyBytes });
const BATCH_LINES = 16;
const RESULT_LINES = scaled({ short: 5_000, long: 50_000 });
const RESULT_LINE = `${JSON.stringify({ text: 'x'.repeat(1_000) })}\n`;

const portOf = (url: string) => Number(new URL(url).port);

/** A batch file of exactly this size: each line is padded with spaces between its tokens. */
function batchFile(bytes: number): string {
  const fields = JSON.stringify({ model: 'tiny', ...REQUEST }).slice(1, -1);
  const line = (at: number, pad: number) => `{"custom_id":"line-${at}",${' '.repeat(pad)}${fields}}\n`;
  const each = Math.floor(bytes / BATCH_LINES);
  const lines = Array.from({ length: BATCH_LINES - 1 }, (_, at) => line(at, each - line(at, 0).length));
  const rest = bytes - lines.join('').length;
  return [...lines, line(BATCH_LINES - 1, rest - line(BATCH_LINES - 1, 0).length)].join('');
}

for (const { name, missing, start } of PROXIES) {
  const behind = (title: string, run: (t: Test) => Promise<void>) =>
    test(`${name}: ${title}`, { skip: missing }, run);

  behind('live traffic over HTTP/2, and the addresses of clients in the log', async (t) => {
    const server = await startTestServer(t, { DECIDER_HTTP_TRUSTED_PROXIES: '127.0.0.1' });
    const proxy = await start(t, portOf(server.url));
    for (const from of ['127.0.0.2', '127.0.0.3']) {
      const session = await connectHttp2(t, proxy, from);
      server.lines.length = 0;
      const headers = { ...server.headers, 'x-forwarded-for': '203.0.113.9' };
      const asked = Array.from({ length: LIVE }, () =>
        ask(session, '/v1/decide', headers, JSON.stringify(REQUEST)),
      );
      for (const { status, body } of await Promise.all(asked)) {
        t.equal(status, 200, body);
        t.match(JSON.parse(body), { model: 'tiny-20260101', answers: { q: { type: 'noul' } } });
      }
      // Besides these, HAProxy checks the health of the server.
      const requests = server.lines
        .map((line) => JSON.parse(line))
        .filter(({ path }) => path === '/v1/decide');
      const clients = new Set(requests.map(({ client }) => client));
      t.strictSame([...clients], [from], 'not what the client claims');
    }
  });

  behind('a large batch file and its results', async (t) => {
    const server = await startTestServer(t);
    const session = await connectHttp2(t, await start(t, portOf(server.url)));
    const type = { ...server.headers, 'content-type': 'application/jsonl' };
    const file = batchFile(BATCH_BYTES);
    t.equal(Buffer.byteLength(file), BATCH_BYTES);
    const submitted = await ask(session, '/v1/batches', type, file);
    t.equal(submitted.status, 200, submitted.body.slice(0, 500));
    const path = `/v1/batches/${JSON.parse(submitted.body).id}`;
    const state = async () => JSON.parse((await ask(session, path, server.headers)).body).status;
    await until(async () => !['queued', 'running'].includes(await state()), 120_000);
    const { status, body } = await ask(session, `${path}/results`, server.headers);
    t.equal(status, 200);
    const ids = body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).custom_id);
    t.strictSame(
      ids,
      Array.from({ length: BATCH_LINES }, (_, at) => `line-${at}`),
    );
  });

  behind(`results of ${RESULT_LINES} lines as they come, for a reader that pauses`, async (t) => {
    const collected = deferred();
    const begun = deferred();
    const piece = Buffer.from(RESULT_LINE.repeat(100));
    async function* pieces() {
      yield Buffer.from(RESULT_LINE);
      // A proxy that collects results before it passes them on would wait for ever.
      await begun.promise;
      for (let at = 100; at < RESULT_LINES; at += 100) yield piece;
    }
    const results = async () => ({ pieces: pieces(), collected: () => collected.resolve() });
    const caller = fakeCaller({ batches: { results } as unknown as BatchApp });
    const { port } = await serve(t, 'node', undefined, { app: fakeApp(() => caller) });
    const session = await connectHttp2(t, await start(t, port));
    const stream = session.request({ ':path': '/v1/batches/batch_x/results' });
    let bytes = 0;
    let pauses = 0;
    for await (const chunk of stream) {
      begun.resolve();
      bytes += chunk.length;
      if (bytes < pauses * 2 ** 20) continue;
      pauses += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    t.equal(bytes, RESULT_LINE.length * (RESULT_LINES - 99));
    await collected.promise;
  });

  behind('a body beyond the limit is refused', async (t) => {
    const server = await startTestServer(t);
    const session = await connectHttp2(t, await start(t, portOf(server.url)));
    const stream = session.request({
      ...server.headers,
      ':method': 'POST',
      ':path': '/v1/decide',
      'content-length': String(LIMITS.bodyBytes + 1),
    });
    stream.on('error', () => {});
    const [head] = await once(stream, 'response');
    t.equal(head[':status'], 413);
    stream.close();
  });
}

const [nginx] = PROXIES as [(typeof PROXIES)[number]];

test('nginx: HTTP/1.0 to the server is answered with the remedy', { skip: nginx.missing }, async (t) => {
  const { port } = await serve(t, 'node');
  const old = (site: string) => site.replace('proxy_http_version 1.1;', 'proxy_http_version 1.0;');
  const session = await connectHttp2(t, await nginx.start(t, port, old));
  const { status, body } = await ask(session, '/health');
  t.equal(status, 505);
  t.match(JSON.parse(body), { type: 'http_version_not_supported', error: /proxy_http_version 1\.1/ });
});
