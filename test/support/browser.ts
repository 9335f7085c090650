import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';

/**
 * Where distributions install Chromium; `CHROMIUM` names another one. The first is the same engine without the windows of
 * a browser: it takes a third of the processor time to start and to open tabs.
 */
const PLACES = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Chromium without its sandbox, which a container does not permit, and without its own connections. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of an installed Chromium; undefined if there is none. */
const installed = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path));

/** Why tests in a browser are skipped; false if they are not. Where CI runs, they never are. */
export const NO_BROWSER =
  installed === undefined && process.env.CI === undefined
    ? 'CHROMIUM IS NOT INSTALLED: apt-get install chromium-headless-shell, or set CHROMIUM to its path'
    : false;

/** Starts Chromium, with arguments besides its usual ones; ended with the test. */
export async function startBrowser(t: Test, more: readonly string[] = []): Promise<Browser> {
  if (installed === undefined) throw new Error('Chromium is not installed; CI needs it');
  const browser = await chromium.launch({
    executablePath: installed,
    args: [...ARGUMENTS, ...more],
    // None: a busy machine may need more than the usual half minute, and the test has a time limit of its own.
    timeout: 0,
  });
  t.teardown(() => browser.close());
  return browser;
}

/** How long a test waits for what a page is to do; a busy machine is slow. */
export const PATIENCE_MS = 60_000;

/** Opens a page in a context of its own. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}
