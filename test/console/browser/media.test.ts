import { ask, consoleTest, enter } from '../../support/console/console.js';

/** Whether an element can be told from what is behind it by its background or its border. */
const CONTRASTS = `(selector) => {
  const element = document.querySelector(selector);
  const style = getComputedStyle(element);
  const behind = getComputedStyle(element.parentElement).backgroundColor;
  const seen = (colour) => colour !== 'rgba(0, 0, 0, 0)' && colour !== behind;
  return seen(style.backgroundColor) || (parseFloat(style.borderTopWidth) > 0 && seen(style.borderTopColor));
}`;

consoleTest('what colours tell can be seen in high contrast', async (t, tab, world) => {
  const { page } = tab;
  await page.emulateMedia({ forcedColors: 'active' });
  await enter(tab, world);
  await ask(tab);
  for (const selector of [
    '.track',
    '.fill',
    '.scale .level',
    '.scale .mean',
    '.scale .rail',
    '.phases .stack > span',
    '.top nav a[aria-current]',
    '.choice input:checked + span',
  ]) {
    t.equal(await page.evaluate(`(${CONTRASTS})(${JSON.stringify(selector)})`), true, selector);
  }
  const colour = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`);
  t.not(await colour('.chosen .fill'), await colour('.meter:not(.chosen) .fill'), 'the chosen option');
});

consoleTest('a printed page has the answers and no controls', async (t, tab, world) => {
  const { page } = tab;
  await page.emulateMedia({ colorScheme: 'dark' });
  await enter(tab, world);
  await ask(tab);
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  t.equal(await page.locator('button:visible, nav:visible, select:visible').count(), 0);
  t.ok(await page.locator('.answer').first().isVisible());
  t.equal(await page.evaluate('getComputedStyle(document.body).color'), 'rgb(27, 31, 36)', 'dark on light');
});
