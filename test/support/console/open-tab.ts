import type { Page } from 'playwright-core';
import type { Tab } from './console.js';

/** Hides the tab, or shows it again, as when another one is chosen. */
export const setVisible = (page: Page, isVisible: boolean): Promise<unknown> =>
  page.evaluate(`Object.defineProperty(document, 'visibilityState', {
    value: '${isVisible ? 'visible' : 'hidden'}',
    configurable: true,
  });
  document.dispatchEvent(new Event('visibilitychange'))`);

const STEP_MS = 1_000;
/** How long a response may take; the clock of the page stands still meanwhile. */
const ANSWER_MS = 10;

/**
 * Lets time pass in a page with a clock of its own, second by second, so that what a response sets off is counted too.
 * Resolves with the addresses of the requests.
 */
export async function requestsWithin({ page, requests }: Tab, seconds: number): Promise<readonly string[]> {
  const before = requests.length;
  for (let at = 0; at < seconds; at += 1) {
    await page.clock.fastForward(STEP_MS);
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
  }
  // Playwright reports requests in order: once this one is reported, all earlier ones are.
  const own = await page.evaluate<string>(
    'fetch(location.pathname).then(() => location.origin + location.pathname)',
  );
  return requests.slice(before).filter((each) => each !== own);
}
