import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type Test, test } from 'tap';
import { openStore, type Store } from '../../../src/storage/folder/index.js';
import { NO_BROWSER, PATIENCE_MS, startBrowser } from '../browser.js';
import { EngineGate } from '../engine-gate.js';
import { freePort } from '../free-port.js';
import { type MovableClock, movableClock } from '../movable-clock.js';
import { dataFolder, modelsFolder, startTestServer } from '../server.js';
import { shared } from '../shared.js';

/** Names that lead to this machine, as those of an attacker may. */
export const OTHER_SITES = ['rebound.example', 'evil.example'] as const;
/** The argument that makes the browser resolve `OTHER_SITES`. */
export const NAMES = `--host-resolver-rules=${OTHER_SITES.map((name) => `MAP ${name} 127.0.0.1`).join(', ')}`;

export const WIDE = { width: 1_280, height: 900 };
export const PHONE = { width: 375, height: 812 };

/** A server with its console and a browser, for the tests of a file. */
export interface ConsoleWorld {
  readonly browser: Browser;
  /** Of the server. */
  readonly url: string;
  /** Of a key with credit. */
  readonly token: string;
  readonly store: Store;
  /** The server's time. */
  readonly clock: MovableClock;
  /** Between its batches and its engine. */
  readonly engine: EngineGate;
  stop(): Promise<void>;
  /** Starts a server on the same port and data after `stop`. */
  startAgain(): Promise<void>;
}

async function startWorld(t: Test): Promise<ConsoleWorld> {
  const browser = await startBrowser(t, [NAMES]);
  const [data, clock] = [dataFolder(t), movableClock()];
  const models = modelsFolder(dataFolder(t), {}, {}, 'gemma4v');
  const environment = {
    DECIDER_PORT: String(await freePort()),
    DECIDER_DATA: data,
    // "Ask 20 times" then shows no spread.
    DECIDER_ENGINE_EXACT: 'true',
  };
  const start = () => startTestServer(t, environment, models, { clock });
  let server = await start();
  const token = server.headers.authorization.replace('Bearer ', '');
  const store = openStore(data);
  t.teardown(() => store.close());
  return {
    browser,
    url: server.url,
    token,
    store,
    clock,
    engine: new EngineGate(server.engines),
    stop: () => server.stop(),
    async startAgain() {
      server = await start();
    },
  };
}

const world = shared(startWorld);

/** Reports what the policy of the page refused; the browser's own message does not say where. */
const REPORT = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('refused by policy: ' + event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample))`;

/** A tab on the console, and what it logged or threw. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors, warnings and violations of the policy; not what the browser says about calls that were refused. */
  readonly messages: readonly string[];
  /** The addresses of its requests. */
  readonly requests: readonly string[];
}

/** Opens a tab in a context of its own. `script`: runs before each page. */
export async function openTab(
  browser: Browser,
  options: BrowserContextOptions = {},
  script = '',
): Promise<Tab> {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  await context.addInitScript(`${REPORT};${script}`);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const [messages, requests]: [string[], string[]] = [[], []];
  page.on('console', (message) => {
    const isRefusal =
      message.text().startsWith('Failed to load resource') && /\/(v1|api)\//.test(message.location().url);
    if (!isRefusal) messages.push(message.text());
  });
  page.on('pageerror', (error) => void messages.push(error.message));
  page.on('request', (request) => void requests.push(request.url()));
  return { page, context, messages, requests };
}

/** Closes a tab. Calls that a test intercepts may still be in progress. */
export async function closeTab({ page, context }: Tab): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
}

type ConsoleTest = (t: Test, tab: Tab, world: ConsoleWorld) => Promise<void>;

interface ConsoleTestOptions {
  readonly context?: BrowserContextOptions;
  /** Runs before each page. */
  readonly script?: string;
  /** Pages of other sites are opened, of which the browser reports what was refused. */
  readonly otherSites?: boolean;
}

/** A test in a tab of its own. Fails if the page logs, throws, violates its policy, or calls another server. */
export function consoleTest(name: string, run: ConsoleTest, options: ConsoleTestOptions = {}): void {
  const { context, script, otherSites = false } = options;
  test(name, { skip: NO_BROWSER }, async (t) => {
    const opened = await world();
    const tab = await openTab(opened.browser, context, script);
    t.teardown(() => {
      // What the test holds back.
      opened.engine.open();
      return closeTab(tab);
    });
    await run(t, tab, opened);
    if (otherSites) return;
    t.strictSame(tab.messages, [], 'nothing is logged and nothing refused');
    const foreign = tab.requests.filter((each) => !each.startsWith(opened.url) && !each.startsWith('blob:'));
    t.strictSame(foreign, [], 'no other server is called');
  });
}

/** Opens a view with a key, as a visitor does. `view`: such as `batches`. */
export async function enter(
  { page }: Tab,
  { url, token }: Pick<ConsoleWorld, 'url' | 'token'>,
  view = 'ask',
  key = token,
): Promise<void> {
  await page.goto(`${url}/console#/${view}`);
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Forget the key' }).waitFor();
  // The views are a file of their own, which can arrive later than the limits of the key.
  await page.locator('main h1:not(#token-title)').first().waitFor({ state: 'attached' });
}

/** Asks the request of the form and waits for the answers. */
export async function ask({ page }: Tab): Promise<void> {
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByText('Answered.').waitFor();
}

/** The pixels by which a page is wider than its window. */
export const overflow = ({ page }: Tab) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
