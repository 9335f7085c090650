import { type Test, test } from 'tap';
import type { ConsoleFiles } from '../../src/http/index.js';
import { readConsole } from '../../src/server/console.js';
import type { OperatorHandlers } from '../../src/server/operator/answer-operator.js';
import { listenForOperator } from '../../src/server/operator/listener.js';
import { fakeClock } from '../support/fake-clock.js';
import { RawClient, request } from '../support/http/raw-client.js';
import { OPERATOR_TOKEN } from '../support/operator.js';

const FILES = readConsole('operator');
if (FILES === null) throw new Error('The console is not built. Run: npm ci && npm run build');
const NAME = 'operator.example.com';

/** A listener with the console, and requests to it with any header fields, each on a connection of its own. */
async function listen(t: Test, files: ConsoleFiles | null = FILES) {
  const listener = await listenForOperator({
    host: '127.0.0.1',
    port: 0,
    token: OPERATOR_TOKEN,
    hosts: [NAME],
    trustedProxies: [],
    keepAliveMs: 600_000,
    clock: fakeClock(),
    console: files,
    handlers: {} as OperatorHandlers,
    onUnexpected: (error) => t.fail(String(error)),
  });
  t.teardown(() => listener.stop());
  return async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const client = await RawClient.connect(Number(new URL(listener.url).port));
    client.send(request(method, path, null, { Host: '127.0.0.1', ...headers }));
    try {
      return await client.response(method === 'HEAD' || 'If-None-Match' in headers);
    } finally {
      client.destroy();
    }
  };
}

test('the page and its files need no token, and are compressed and kept as the client can', async (t) => {
  const ask = await listen(t);
  for (const path of ['/', '/console', '/?x=1']) {
    const page = await ask(path);
    t.equal(page.status, 200, path);
    t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    t.equal(page.headers.get('cache-control'), 'no-cache');
    const loaded = [...page.body.matchAll(/(?:href|src)="(console\/[^"]+)"/g)].map(([, name]) => `/${name}`);
    t.equal(loaded.length, 2);
    for (const file of loaded) {
      const sent = await ask(file, { 'Accept-Encoding': 'br' });
      t.equal(sent.status, 200, file);
      t.equal(sent.headers.get('content-encoding'), 'br');
      t.match(sent.headers.get('cache-control'), /immutable/);
      const tag = sent.headers.get('etag') as string;
      const known = await ask(file, { 'Accept-Encoding': 'br', 'If-None-Match': tag });
      t.equal(known.status, 304);
    }
  }
  const head = await ask('/', {}, 'HEAD');
  t.equal(head.status, 200);
});

test('every file forbids what the console does not need', async (t) => {
  const ask = await listen(t);
  for (const path of [
    '/',
    ...[...FILES.keys()].filter((name) => name !== 'index.html').map((name) => `/console/${name}`),
  ]) {
    const { headers } = await ask(path);
    const policy = headers.get('content-security-policy') as string;
    const inline = path === '/' ? String.raw` 'sha256-[\w+/]{43}='` : '';
    t.match(policy, new RegExp(`^default-src 'none'; script-src 'self'; style-src 'self'${inline};`));
    t.match(policy, /frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'/);
    t.notMatch(policy, /unsafe|https?:|\*|data:/);
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
  }
});

test('no other site and no rebound name gets the console', async (t) => {
  const ask = await listen(t);
  const status = async (headers: Record<string, string>) => {
    const { status, body } = await ask('/', headers);
    if (status !== 200) t.match(body, '"type":"host_not_allowed"');
    return status;
  };
  for (const host of ['localhost:9464', '[::1]', NAME]) t.equal(await status({ Host: host }), 200, host);
  for (const host of ['evil.example', `evil.${NAME}`]) t.equal(await status({ Host: host }), 403, host);
  t.equal(await status({ Origin: 'http://evil.example' }), 403);
  const from = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' };
  t.equal(await status(from), 403);
});

test('other files, other methods, and a console that is off', async (t) => {
  const ask = await listen(t);
  for (const name of ['', 'nothing.js', 'index.html', '..', '%2e%2e', '__proto__', '../operator.token']) {
    t.equal((await ask(`/console/${name}`)).status, 404, name);
  }
  const refused = await ask('/', {}, 'POST');
  t.equal(refused.status, 405);
  t.equal(refused.headers.get('allow'), 'GET, HEAD');
  const off = await listen(t, null);
  for (const path of ['/', '/console']) t.equal((await off(path)).status, 401, 'as any other path');
  const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
  t.equal((await off('/', headers)).status, 404);
});
