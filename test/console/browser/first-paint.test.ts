import type { Page } from 'playwright-core';
import { consoleTest, enter } from '../../support/console/console.js';
import { until } from '../../support/until.js';

/** Holds the answers to requests for scripts. Returns what sends them. */
async function holdScripts(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/console/*.js', async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** The elements and texts of the page. */
const content = (page: Page) =>
  page.evaluate<unknown>(`(function read(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    const children = [...node.childNodes].filter((each) =>
      each.nodeType === Node.ELEMENT_NODE || (each.nodeType === Node.TEXT_NODE && each.data.trim() !== ''));
    return [node.tagName, node.className, node.id, node.getAttribute('href'), children.map(read)];
  })(document.getElementById('app'))`);

consoleTest('the form is there before the script, which keeps what was typed', async (t, tab, world) => {
  const { page } = tab;
  const release = await holdScripts(page);
  await page.goto(`${world.url}/console#/batches`, { waitUntil: 'commit' });
  const field = page.getByLabel('Key', { exact: true });
  await field.waitFor();
  // All of the page has been read, and its script is still awaited.
  await until(async () => (await page.evaluate('document.readyState')) === 'interactive');
  const before = await content(page);
  await field.fill(world.token);
  release();
  const button = page.getByRole('button', { name: 'Continue' });
  await until(() => button.isEnabled());
  t.strictSame(await content(page), before, 'the script shows the same');
  t.equal(await page.getByRole('link', { name: 'Batches' }).getAttribute('aria-current'), 'page');
  t.equal(await field.inputValue(), world.token);
  await button.click();
  await page.getByRole('button', { name: 'Forget the key' }).waitFor();
});

consoleTest('with a key, a reload does not show the form', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  const release = await holdScripts(page);
  await page.reload({ waitUntil: 'commit' });
  await page.locator('#app').waitFor({ state: 'attached' });
  t.equal(await page.getByLabel('Key', { exact: true }).isVisible(), false);
  release();
  await page.getByRole('form', { name: 'Request' }).waitFor();
  t.equal(await page.getByLabel('Key', { exact: true }).count(), 0);
});
