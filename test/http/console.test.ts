import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Test, test } from 'tap';
import type { TransportName } from '../../src/http/index.js';
import { consoleSite, readConsole } from '../../src/server/console.js';
import { request } from '../support/http/raw-client.js';
import { echo, errorType, onBoth, serve } from '../support/http/serving.js';

/** Everything that a browser loads, compressed. */
const TOTAL_BYTES_MAX = 200_000;
/** What the form for a key needs of it. */
const FIRST_BYTES_MAX = 25_000;
const NAME = 'console.example.com';

const site = consoleSite({ enabled: true, hosts: [NAME] });
if (site === null) throw new Error('The console is not built. Run: npm ci && npm run build');

/** A server with the console. */
async function start(t: Test, transport: TransportName) {
  const { port } = await serve(t, transport, echo, { console: site });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
  return { port, get };
}

/** The names of the files that the page loads. */
const loaded = (page: string): string[] =>
  [...page.matchAll(/(?:href|src)="(console\/[^"]+)"/g)].map(([, name]) => `/${name}`);

onBoth('the page and its files, compressed as the client accepts', async (t, transport) => {
  const { get } = await start(t, transport);
  const page = await get('/console');
  t.equal(page.status, 200);
  t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  t.equal(page.headers.get('cache-control'), 'no-cache');
  const files = loaded(await page.text());
  t.equal(files.length, 3);
  for (const file of files) {
    const plain = await get(file, { 'accept-encoding': 'identity' });
    t.equal(plain.headers.get('content-encoding'), null);
    t.match(plain.headers.get('cache-control'), /immutable/);
    const bytes = Buffer.from(await plain.arrayBuffer());
    for (const [encoding, accepted] of [
      ['br', 'gzip, deflate, br'],
      ['gzip', 'gzip;q=1.0, br;q=0'],
      [null, 'deflate'],
      ['br', '*'],
    ] as const) {
      // fetch decompresses, so the same bytes arrive.
      const sent = await get(file, { 'accept-encoding': accepted });
      t.equal(sent.headers.get('content-encoding'), encoding, accepted);
      t.equal(sent.headers.get('vary'), 'Accept-Encoding');
      t.ok(bytes.equals(Buffer.from(await sent.arrayBuffer())), accepted);
    }
  }
});

onBoth('files in the cache of the browser are not sent again', async (t, transport) => {
  const { port } = await start(t, transport);
  const { client } = await serve(t, transport, echo, { console: site });
  t.ok(port > 0);
  const connection = await client();
  const [script] = [...(site?.files.keys() ?? [])].filter((name) => name.endsWith('.js'));
  for (const path of ['/console', `/console/${script}`]) {
    const ask = (headers: Record<string, string>, head = false) => {
      connection.send(request(head ? 'HEAD' : 'GET', path, null, { 'Accept-Encoding': 'br', ...headers }));
      return connection.response(head || 'If-None-Match' in headers);
    };
    const first = await ask({});
    const tag = first.headers.get('etag') as string;
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await ask({ 'If-None-Match': known });
      t.equal(again.status, 304, known);
      t.equal(again.headers.get('etag'), tag);
      t.equal(again.headers.get('content-length'), first.headers.get('content-length'));
    }
    t.equal((await ask({}, true)).headers.get('content-length'), first.headers.get('content-length'));
    const whole = await ask({});
    t.equal(whole.status, 200, 'the connection goes on');
  }
});

onBoth('requests from other sites and for other host names are refused', async (t, transport) => {
  const { ask, port } = await serve(t, transport, echo, { console: site });
  const host = `127.0.0.1:${port}`;
  const status = async (headers: Record<string, string>) => {
    const response = await ask(request('GET', '/console', null, { Host: host, ...headers }));
    if (response.status !== 200) t.equal(errorType(response), 'host_not_allowed');
    return response.status;
  };
  for (const name of [
    host,
    'localhost',
    `[::1]:${port}`,
    'a.localhost',
    NAME,
    `${NAME}:8443`,
    'CONSOLE.example.com',
  ]) {
    t.equal(await status({ Host: name }), 200, name);
  }
  for (const name of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'user@127.0.0.1',
    '',
  ]) {
    t.equal(await status({ Host: name }), 403, name);
  }
  for (const origin of [`http://${host}`, `https://${NAME}`])
    t.equal(await status({ Origin: origin }), 200, origin);
  for (const origin of ['http://evil.example', 'null', `http://127.0.0.1:${port + 1}`, 'file://']) {
    t.equal(await status({ Origin: origin }), 403, origin);
  }
  const fetched = (from: string, mode: string, dest: string) =>
    status({ 'Sec-Fetch-Site': from, 'Sec-Fetch-Mode': mode, 'Sec-Fetch-Dest': dest });
  t.equal(await fetched('cross-site', 'navigate', 'document'), 200, 'a link is followed');
  t.equal(await fetched('cross-site', 'navigate', 'iframe'), 403);
  t.equal(await fetched('cross-site', 'no-cors', 'script'), 403);
  t.equal(await fetched('same-site', 'cors', 'empty'), 403);
  t.equal(await fetched('same-origin', 'no-cors', 'script'), 200);
});

onBoth('every response of the console forbids what it does not need', async (t, transport) => {
  const { get } = await start(t, transport);
  for (const path of ['/console', loaded(await (await get('/console')).text())[0] as string]) {
    const { headers } = await get(path);
    const policy = headers.get('content-security-policy') as string;
    const inline = path === '/console' ? String.raw` 'sha256-[\w+/]{43}='` : '';
    const sources = `script-src 'self'${inline}; style-src 'self'${inline};`;
    t.match(policy, new RegExp(`^default-src 'none'; ${sources}`));
    t.match(policy, /frame-ancestors 'none'/);
    t.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'/);
    t.notMatch(policy, /unsafe|https?:|\*|data:/);
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    t.equal(headers.get('referrer-policy'), 'no-referrer');
  }
});

onBoth('other names, other methods and endpoints without a console', async (t, transport) => {
  const { get } = await start(t, transport);
  for (const name of ['nothing.js', 'index.html', '..', '%2e%2e', '__proto__']) {
    t.equal((await get(`/console/${name}`)).status, 404, name);
  }
  t.equal((await get('/console', {}, 'POST')).headers.get('allow'), 'GET, HEAD');
  const { ask } = await serve(t, transport);
  t.equal((await ask(request('GET', '/console'))).status, 404);
});

test('the settings turn the console off', async (t) => {
  t.equal(consoleSite({ enabled: false, hosts: [] }), null);
});

for (const name of ['user', 'operator'] as const) {
  test(`the whole console of the ${name} is small, and its policy permits what is in its page`, async (t) => {
    const files = [...(readConsole(name) ?? [])];
    const total = files.reduce((sum, [, { bodies }]) => sum + bodies.br.byteLength, 0);
    t.ok(total > 0 && total < TOTAL_BYTES_MAX, `${total} bytes`);
    const page = files.find(([file]) => file === 'index.html')?.[1];
    const needed = loaded(String(page?.bodies.identity)).map((path) => path.replace('/console/', ''));
    const first = files.filter(([file]) => file === 'index.html' || needed.includes(file));
    t.equal(first.length, 1 + needed.length);
    const bytes = first.reduce((sum, [, { bodies }]) => sum + bodies.br.byteLength, 0);
    // The console of the operator is one file.
    t.ok(bytes < (name === 'operator' ? 2 : 1) * FIRST_BYTES_MAX, `${bytes} bytes until the first view`);
    for (const [file, { bodies }] of files) {
      t.ok(brotliDecompressSync(bodies.br).equals(bodies.identity), file);
      t.ok(gunzipSync(bodies.gzip).equals(bodies.identity), file);
    }
    const text = (ending: string) =>
      files.filter(([file]) => file.endsWith(ending)).map(([, { bodies }]) => Buffer.from(bodies.identity));
    const inline = /<(script|style)>[^<]*<\/\1>/g;
    const { script = [], style = [] } = page?.inline ?? {};
    t.equal([...String(text('.html')).matchAll(inline)].length, script.length + style.length);
    const rest = String(text('.html')).replace(inline, '');
    t.notMatch(rest, /<script(?![^>]*src=)|<style|\son\w+=|style=|https?:/);
    t.equal(String(text('.js')).includes('api/workspaces'), name === 'operator', 'whose calls it makes');
  });
}
