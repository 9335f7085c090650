import type { Browser, BrowserContextOptions } from 'playwright-core';
import { type Test, test } from 'tap';
import { RecentLines } from '../../../src/telemetry/index.js';
import { NO_BROWSER, startBrowser } from '../browser.js';
import { EngineGate } from '../engine-gate.js';
import { OPERATOR_TOKEN, operatorSettings } from '../operator.js';
import { dataFolder, modelsFolder, startTestServer } from '../server.js';
import { shared } from '../shared.js';
import { closeTab, NAMES, openTab, type Tab } from './console.js';

/** The description of the server's model: long, from right to left, and with what would be markup. */
export const HOSTILE_DESCRIPTION = `<img src=x onerror="document.title=1"> \u202eevil ${'long'.repeat(40)}`;

/** A server with an operator listener and a browser, for the tests of a file. */
export interface OperatorWorld {
  readonly browser: Browser;
  /** Of the operator listener. */
  readonly url: string;
  /** Of the endpoint of callers. */
  readonly callers: string;
  /** Of a key with credit. */
  readonly token: string;
  /** Between the batches of the server and its engine. */
  readonly engine: EngineGate;
  /** The warnings and errors that the console shows. */
  readonly log: RecentLines;
  /** Asks a question with the token of a key. Resolves with the status. */
  ask(token: string): Promise<number>;
}

async function startWorld(t: Test): Promise<OperatorWorld> {
  const browser = await startBrowser(t, [NAMES]);
  const models = modelsFolder(dataFolder(t), {}, { description: HOSTILE_DESCRIPTION });
  const log = new RecentLines(Date.now);
  const server = await startTestServer(t, await operatorSettings(), models, { recentLines: log });
  const ask = async (token: string) => {
    const response = await fetch(`${server.url}/v1/decide`, {
      method: 'POST',
      headers: { ...server.headers, authorization: `Bearer ${token}` },
      body: JSON.stringify({ state: 'x', questions: { q: { type: 'noul' } } }),
    });
    await response.text();
    return response.status;
  };
  return {
    browser,
    url: server.operatorUrl as string,
    callers: server.url,
    token: server.headers.authorization.replace('Bearer ', ''),
    engine: new EngineGate(server.engines),
    log,
    ask,
  };
}

const world = shared(startWorld);

interface OperatorTestOptions {
  readonly context?: BrowserContextOptions;
  /** Runs before each page. */
  readonly script?: string;
  /** Pages are opened of which the browser reports what was refused. */
  readonly refused?: boolean;
}

/** A test in a tab of its own. Fails if the page logs, throws, violates its policy, or calls another server. */
export function operatorTest(
  name: string,
  run: (t: Test, tab: Tab, world: OperatorWorld) => Promise<void>,
  { context, script, refused = false }: OperatorTestOptions = {},
): void {
  test(name, { skip: NO_BROWSER }, async (t) => {
    const opened = await world();
    const tab = await openTab(opened.browser, context, script);
    t.teardown(() => {
      // What the test holds back.
      opened.engine.open();
      return closeTab(tab);
    });
    await run(t, tab, opened);
    if (refused) return;
    t.strictSame(tab.messages, [], 'nothing is logged and nothing refused');
    const foreign = tab.requests.filter((each) => !each.startsWith(opened.url));
    t.strictSame(foreign, [], 'no other server is called');
    t.notMatch(tab.requests.join(' '), OPERATOR_TOKEN, 'the token is part of no address');
  });
}

/** Opens a view with the token, as an operator does. `view`: such as `keys/acme`. */
export async function enterOperator({ page }: Tab, { url }: OperatorWorld, view = 'overview'): Promise<void> {
  await page.goto(`${url}/#/${view}`);
  await page.getByRole('textbox', { name: 'Operator’s token' }).fill(OPERATOR_TOKEN);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Forget the token' }).waitFor();
}

/** Changes to another view, as the links do. */
export const show = ({ page }: Tab, view: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(`/${view}`)}`);
