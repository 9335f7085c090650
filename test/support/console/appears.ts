import type { Page } from 'playwright-core';

/**
 * Resolves when a status of the page has had this text, which may be gone again: a poll could miss one that is shown for
 * seconds. To be called before what brings it about.
 */
export const statusAppears = (page: Page, text: string): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    const isShown = () =>
      [...document.querySelectorAll('[role=status]')].some((each) => each.textContent === ${JSON.stringify(text)});
    const look = () => isShown() && resolve(true);
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
  })`);
