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

operatorTest('no key is left out or repeated if others are made between two pages', async (t, tab, world) => {
  const { page } = tab;
  const make = () => operatorSend(world.url, 'POST', '/api/keys', { workspace: 'growing' });
  await operatorSend(world.url, 'POST', '/api/workspaces', { id: 'growing' });
  for (let at = 0; at < PAGE_ROWS + 20; at += 1) await make();
  await enterOperator(tab, world, 'keys/growing');
  const rows = page.getByRole('region', { name: 'Table of keys' }).locator('tbody tr');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const ids = async () => (await rows.locator('code').allTextContents()).filter((text) => /^key_/.test(text));
  await page.getByText(`1 to ${PAGE_ROWS} of ${PAGE_ROWS + 20} keys`).waitFor();
  const first = await ids();
  for (let at = 0; at < 3; at += 1) await make();
  await button('Next').click();
  await page.getByText(`${PAGE_ROWS + 4} to ${PAGE_ROWS + 23} of ${PAGE_ROWS + 23} keys`).waitFor();
  await rows.nth(20).waitFor({ state: 'detached' });
  const second = await ids();
  t.equal(new Set([...first, ...second]).size, PAGE_ROWS + 20);
  t.equal(await button('Next').getAttribute('aria-disabled'), 'true');
  await make();
  await button('Reload').click();
  await page.getByText(`${PAGE_ROWS + 5} to ${PAGE_ROWS + 24} of ${PAGE_ROWS + 24} keys`).waitFor();
  t.strictSame(await ids(), second, 'the page is the same when it is read again');
  await button('Previous').click();
  await page.getByText(`5 to ${PAGE_ROWS + 4} of ${PAGE_ROWS + 24} keys`).waitFor();
  await rows.nth(PAGE_ROWS - 1).waitFor();
  t.strictSame(await ids(), first);
  await button('Previous').click();
  await page.getByText(`1 to ${PAGE_ROWS} of ${PAGE_ROWS + 24} keys`).waitFor();
  t.equal(await button('Previous').getAttribute('aria-disabled'), 'true');
  await page.getByLabel('Order').selectOption('expires');
  await button('Next').click();
  await page.getByText(`${PAGE_ROWS + 1} to ${PAGE_ROWS + 24} of ${PAGE_ROWS + 24} keys`).waitFor();
  t.equal(await page.getByRole('alert').count(), 0);
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
  // The cell, not the row: an identifier in a row can contain the digits.
  await table.getByRole('cell', { name: String(newest + 1), exact: true }).waitFor();
  await show(tab, 'overview');
  await show(tab, 'audit');
  const numbers = (await rows.locator('td:first-child').allTextContents()).map(Number);
  t.equal(numbers[0], newest + 1);
  t.equal(numbers.at(-1), reached);
  t.equal(new Set(numbers).size, numbers.length);
  t.equal(numbers.length, newest + 2 - reached, 'none is left out');
});
