import { PAGE_ROWS } from '../../../src/console/ui/pages.js';
import { enterOperator, operatorTest, show } from '../../support/console/operator.js';
import { operatorSend } from '../../support/operator.js';

operatorTest('a page whose last rows have gone is not an empty list', async (t, tab, { url, ...world }) => {
  const { page } = tab;
  const post = async (path: string, body: object) =>
    (await operatorSend(url, 'POST', `/api/${path}`, body)).json() as Promise<{ key: { id: string } }>;
  await post('workspaces', { id: 'many' });
  for (let at = 0; at <= PAGE_ROWS; at += 1) await post('keys', { workspace: 'many' });
  await enterOperator(tab, { url, ...world }, 'keys/many');
  await page.getByText(`1 to ${PAGE_ROWS} of ${PAGE_ROWS + 1} keys`).waitFor();
  await page.route('**/api/keys?*', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page.getByText('The server did not answer.').waitFor();
  await page.getByText(`1 to ${PAGE_ROWS} of ${PAGE_ROWS + 1} keys`).waitFor();
  await page.getByRole('button', { name: 'Reload' }).click();
  const rows = page.getByRole('region', { name: 'Table of keys' }).locator('tbody tr');
  await rows.nth(1).waitFor({ state: 'detached' });
  await page.getByText(`${PAGE_ROWS + 1} to ${PAGE_ROWS + 1} of`).waitFor();
  await page.getByRole('button', { name: /^Revoke key_/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke the key' }).click();
  await page.getByText(`${PAGE_ROWS} keys`).waitFor();
  await rows.nth(PAGE_ROWS - 1).waitFor();
  t.equal(await page.getByText('There is no key that works').count(), 0);
});

operatorTest('a list that is read again stays where it is', async (t, tab, world) => {
  const { page } = tab;
  const change = () => operatorSend(world.url, 'POST', '/api/keys', { workspace: 'default' });
  for (let at = 0; at <= 2 * PAGE_ROWS; at += 1) await change();
  await enterOperator(tab, world, 'audit');
  const table = page.getByRole('region', { name: 'Table of administrative changes' });
  const rows = table.locator('tbody tr');
  await page.getByRole('button', { name: 'Older entries' }).click();
  await rows.nth(2 * PAGE_ROWS - 1).waitFor();
  const [first, last] = [rows.first(), rows.nth(2 * PAGE_ROWS - 1)];
  const newest = Number(await first.locator('td').first().textContent());
  await last.scrollIntoViewIfNeeded();
  const reached = Number(await last.locator('td').first().textContent());
  await change();
  await page.getByRole('button', { name: 'Reload' }).click();
  await rows.filter({ hasText: String(newest + 1) }).waitFor();
  await show(tab, 'overview');
  await show(tab, 'audit');
  const numbers = (await rows.locator('td:first-child').allTextContents()).map(Number);
  t.equal(numbers[0], newest + 1);
  t.equal(numbers.at(-1), reached);
  t.equal(new Set(numbers).size, numbers.length);
  t.equal(numbers.length, newest + 2 - reached, 'none is left out');
});
