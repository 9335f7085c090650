import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { NO_BROWSER, openPage, startBrowser } from '../support/browser.js';
import { blocks } from '../support/pages.js';
import { ROOT } from '../support/sources.js';
import { until } from '../support/until.js';
import { startExampleServer } from './examples-server.js';

// docs/clients.md: its lines of TypeScript run as they stand in Chromium too, and so does its page.

/** What a page has in place of Node.js: names of modules, the environment, and files. */
const HEAD = `<!doctype html><title>A page</title><script type="importmap">{"imports":
  {"decider/client": "/client.js", "node:fs/promises": "/files.js"}}</script>`;
const FILES = `export const readFile = async (name) => new Uint8Array(await (await fetch('/' + name)).arrayBuffer());`;

/** An origin with the client, a picture and pages, which are added later: they name servers that must know this origin. */
async function origin(t: Test, pages: ReadonlyMap<string, string>): Promise<string> {
  const files = new Map<string, readonly [type: string, content: string | Buffer]>([
    ['/client.js', ['text/javascript', readFileSync(join(ROOT, 'clients/typescript/client.js'))]],
    ['/files.js', ['text/javascript', FILES]],
    ['/parcel.png', ['image/png', readFileSync(join(ROOT, 'examples/parcel.png'))]],
  ]);
  const server = createServer(({ url = '' }, response) => {
    const [type, content] = files.get(url) ?? ['text/html', pages.get(url) ?? ''];
    response.setHeader('content-type', type).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A page that runs lines, with the variables that they read from the environment in Node.js. */
const pageOf = (lines: string, env: object) =>
  `${HEAD}<script>globalThis.process = { env: ${JSON.stringify(env)} };</script><script type="module">${lines}\nconsole.log('end');</script>`;

const KINDS = ['decide', 'image', 'batch', 'errors'] as const;
const PRINTED = {
  decide: [/^(true|false) (billing|technical)$/],
  image: [/^[01](\.\d+)?$/],
  batch: [/^case-0 [01](\.\d+)?$/, /^case-1 [01](\.\d+)?$/],
  errors: [/^unauthorized 401 false$/],
} as const;

test('the lines of TypeScript, and the page, in Chromium', { skip: NO_BROWSER }, async (t) => {
  const pages = new Map<string, string>();
  const place = await origin(t, pages);
  const text = await startExampleServer(t, 'models', { DECIDER_HTTP_CORS_ORIGINS: place });
  const images = await startExampleServer(t, 'models/random', { DECIDER_HTTP_CORS_ORIGINS: place });
  const envOf = ({ url, headers }: typeof text) => ({
    URL: url,
    TOKEN: headers.authorization.replace('Bearer ', ''),
  });
  const found = blocks('docs/clients.md', 'ts');
  for (const [at, kind] of KINDS.entries())
    pages.set(`/${kind}`, pageOf(found[at] as string, envOf(kind === 'image' ? images : text)));
  const [html = ''] = blocks('docs/clients.md', 'html');
  const { URL: url, TOKEN: token } = envOf(images);
  pages.set('/page', html.replace('https://decider.example.com', url).replace('dk_…', token));
  const browser = await startBrowser(t);
  const page = await openPage(browser);
  const printed: string[] = [];
  page.on('console', (message) => printed.push(message.text()));
  page.on('pageerror', (error) => printed.push(`error: ${error.message}`));
  for (const kind of KINDS) {
    printed.length = 0;
    await page.goto(`${place}/${kind}`);
    await until(() => printed.some((line) => line === 'end' || line.startsWith('error: ')));
    // The browser reports refused requests too.
    const own = printed.filter((line) => line !== 'end' && !line.startsWith('Failed to load resource'));
    t.match(own, [...PRINTED[kind]], kind);
    t.equal(own.length, PRINTED[kind].length, own.join('\n'));
  }
  await page.goto(`${place}/page`);
  await page.locator('input[type=file]').setInputFiles(join(ROOT, 'examples/parcel.png'));
  await page.getByText(/^damaged: [01](\.\d+)?$/).waitFor();
});
