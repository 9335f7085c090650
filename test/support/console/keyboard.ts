import type { Locator, Page } from 'playwright-core';

/** A page with more controls is not one for the keyboard. */
const PRESSES_MAX = 80;

/** Presses Tab until an element has the focus. Throws if it does not get it. */
export async function focusOn(page: Page, target: Locator): Promise<void> {
  for (let pressed = 0; pressed < PRESSES_MAX; pressed += 1) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element) => element.matches(':focus'))) return;
  }
  throw new Error(`the Tab key does not lead to ${target}`);
}

/** Waits until an element has the focus, which the console sets after it has drawn the element. */
export const haveFocus = (target: Locator): Promise<void> =>
  target.and(target.page().locator(':focus')).waitFor();
