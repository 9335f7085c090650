import { AXE, violations } from '../../support/console/axe.js';
import { enterOperator, operatorTest, show } from '../../support/console/operator.js';
import { operatorSend } from '../../support/operator.js';
import { until } from '../../support/until.js';

const change = (url: string, body: object) => operatorSend(url, 'PATCH', '/api/workspaces/default', body);
const workspaceOf = async (url: string) => {
  const response = await operatorSend(url, 'GET', '/api/workspaces');
  const { workspaces } = (await response.json()) as { workspaces: Array<Record<string, unknown>> };
  return workspaces.find(({ id }) => id === 'default') as Record<string, unknown>;
};

operatorTest('a form saves what was edited, and overwrites nothing else', async (t, tab, world) => {
  const { page } = tab;
  await change(world.url, { requests_per_minute: 6000, bytes_per_minute: 1_000_000, budget: '5.00' });
  await enterOperator(tab, world, 'workspaces/default');
  const requests = page.getByLabel('Requests per minute', { exact: true });
  await requests.waitFor();
  // Another operator changes other fields meanwhile.
  await change(world.url, { bytes_per_minute: 2_000_000, budget: '7.00' });
  await requests.fill('777');
  await page.getByRole('button', { name: 'Save the limits' }).click();
  await page.getByText('default has been changed meanwhile.').waitFor();
  t.match(await workspaceOf(world.url), { requests_per_minute: 6000, bytes_per_minute: 2_000_000 });
  // What was not edited follows; the edit is still there.
  t.equal(await requests.inputValue(), '777');
  const size = page.getByLabel('Request bytes per minute');
  await until(async () => (await size.inputValue()) === '2000000');
  t.equal(await page.getByLabel('Monthly budget in GBP').inputValue(), '7.00');
  await page.getByRole('button', { name: 'Save the limits' }).click();
  await page.getByText('The limits are saved.').waitFor();
  t.match(await workspaceOf(world.url), {
    requests_per_minute: 777,
    bytes_per_minute: 2_000_000,
    budget: '7.00',
  });

  // The same field: the other value is shown beside the edit, which outlives a reload.
  await requests.fill('778');
  await change(world.url, { requests_per_minute: 900 });
  await page.reload();
  await page.getByText('Changed meanwhile: it is 900 now. Saving replaces it.').waitFor();
  t.equal(await requests.inputValue(), '778');
});

operatorTest('changes in quick succession are not taken for those of others', async (t, tab, world) => {
  const { page } = tab;
  await change(world.url, { requests_per_minute: 6000, budget: null });
  await enterOperator(tab, world, 'workspaces/default');
  const form = (name: string) => page.getByRole('form', { name, exact: true });
  const requests = form('Limits').getByLabel('Requests per minute', { exact: true });
  await requests.waitFor();
  // No read is answered before the last change.
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/api\/workspaces(\/default)?(\?|$)/, async (route) => {
    if (route.request().method() === 'GET') await answered;
    await route.fallback();
  });
  const saved: ReadonlyArray<readonly [form: string, label: string, text: string, done: RegExp]> = [
    ['Limits', 'Requests per minute', '777', /^The limits are saved\.$/],
    ['Limits', 'Requests per minute', '888', /^The limits are saved\.$/],
    ['Budget', 'Monthly budget in GBP', '7.50', /^The budget is saved\.$/],
    ['Credit', 'Amount in GBP', '2', /^Credit left: £/],
    ['Name of the workspace', 'Name of the workspace', 'Quick', /^The name is saved\.$/],
    ['Limits', 'Requests per minute', '999', /^The limits are saved\.$/],
  ];
  for (const [name, label, text, done] of saved) {
    await form(name).getByLabel(label, { exact: true }).fill(text);
    const sent = page.waitForResponse((response) => response.request().method() !== 'GET');
    await form(name).getByRole('button').click();
    t.equal((await sent).status(), 200, `${name}: ${text}`);
    await form(name).getByText(done).waitFor();
    // What was saved is shown, although it was not read again.
    if (name !== 'Credit') t.equal(await form(name).getByLabel(label, { exact: true }).inputValue(), text);
  }
  await requests.fill('1000');
  answer();
  await page.getByText('Requests per minute999').waitFor();
  t.equal(await page.getByText('Changed meanwhile').count(), 0);
  t.equal(await requests.inputValue(), '1000');
});

operatorTest('a grant whose answer is lost is made once', async (t, tab, world) => {
  const { page } = tab;
  const granted = async () => Number((await workspaceOf(world.url)).granted);
  const before = await granted();
  await enterOperator(tab, world, 'workspaces/default');
  await page.route('**/grants', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.getByLabel('Amount in GBP').fill('5');
  const grant = page.getByRole('button', { name: 'Grant credit' });
  await grant.click();
  await page.getByText('The server did not answer.').waitFor();
  t.equal(await granted(), before + 5);
  await page.unroute('**/grants');
  await page.reload();
  t.equal(await page.getByLabel('Amount in GBP').inputValue(), '5');
  await grant.click();
  await page.getByText(/^default has been changed since the first try.*probably made then/).waitFor();
  t.equal(await granted(), before + 5);
  t.equal(await page.getByLabel('Amount in GBP').inputValue(), '', 'it cannot be sent once more');
});

operatorTest(
  'plots and lists are marked as old while the server does not answer',
  async (t, tab, world) => {
    const { page } = tab;
    await enterOperator(tab, world, 'workspaces');
    await page.getByRole('row', { name: /^default/ }).waitFor();
    await show(tab, 'overview');
    await page.getByRole('region', { name: 'Lane 1' }).waitFor();
    await page.route('**/api/**', (route) => route.abort());
    // The last hour is read again seldom: it may be marked too, or not yet.
    await page
      .getByText(/^Not current, as of \w+ \d/)
      .first()
      .waitFor();
    t.equal(await page.locator('.sourced.old .plot').count(), await page.locator('.plot').count());
    t.strictSame(await violations(page), []);
    await show(tab, 'workspaces');
    await page.locator('.as-of:visible', { hasText: /^Not current, as of \w+ \d/ }).waitFor();
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.locator('.as-of:visible', { hasText: /^As of \w+ \d/ }).waitFor();
  },
  { script: AXE },
);

operatorTest('nothing is said of a workspace or of keys that are not loaded yet', async (t, tab, world) => {
  const { page } = tab;
  for (const id of ['first', 'second']) await operatorSend(world.url, 'POST', '/api/workspaces', { id });
  await enterOperator(tab, world, 'workspaces/first');
  await page.getByRole('heading', { name: 'first', exact: true }).waitFor();
  let load = () => {};
  const gate = new Promise<void>((resolve) => {
    load = resolve;
  });
  await page.route('**/api/workspaces/second', (route) => gate.then(() => route.continue()));
  await page.getByRole('link', { name: 'second', exact: true }).click();
  const detail = page.locator('.column .empty');
  await detail.getByText('Loading…').waitFor();
  t.equal(await page.getByText('There is no workspace with this id.').count(), 0);
  load();
  await page.getByRole('heading', { name: 'second', exact: true }).waitFor();
  await show(tab, 'workspaces/third');
  await page.getByText('There is no workspace with this id.').waitFor();

  await show(tab, 'keys/first');
  await page.getByText('There is no key that works.').waitFor();
  await page.route('**/api/keys?**', (route) => route.abort());
  await show(tab, 'keys/default');
  await page.getByText('The server did not answer.').waitFor();
  t.equal(await page.getByText('There is no key that works.').count(), 0, 'it is about other keys');
});

operatorTest('lists are searched, sorted and shown in pages', async (t, tab, world) => {
  const { page } = tab;
  for (let at = 100; at < 225; at += 1) {
    const { status } = await operatorSend(world.url, 'POST', '/api/workspaces', { id: `page-${at}` });
    if (status !== 201) t.fail(`status ${status}`);
  }
  await enterOperator(tab, world, 'workspaces/page-224');
  const rows = page.getByRole('region', { name: 'Table of workspaces' }).locator('tbody tr');
  await page.getByText(/^1 to 100 of \d+ workspaces$/).waitFor();
  t.equal(await rows.count(), 100);
  // The one in detail is on another page.
  await page.getByRole('heading', { name: 'page-224' }).waitFor();
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page.getByText(/^101 to /).waitFor();
  await page.getByLabel('Search').fill('page-11');
  await page.getByText('10 workspaces', { exact: true }).waitFor();
  t.match(await rows.first().textContent(), /^page-110/);
  await page.getByLabel('Order').selectOption('-created');
  await until(async () => /^page-119/.test(`${await rows.first().textContent()}`));
  await page.getByLabel('Search').fill('nothing');
  await page.getByText('No workspace matches.').waitFor();
});

operatorTest('the usage of a workspace is shown in pages', async (t, tab, world) => {
  const { page } = tab;
  const rows = Array.from({ length: 250 }, (_, at) => ({
    day: '2027-01-01',
    ...{ key: `key_${at}`, key_name: null, model: 'tiny', kind: 'live' },
    ...{ requests: 1, input_tokens: 1, amount: '0.01' },
  }));
  await page.route('**/api/workspaces/default/usage?**', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), usage: rows } });
  });
  let charged = '2.50';
  await page.route('**/api/workspaces/default', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), charged } });
  });
  await enterOperator(tab, world, 'workspaces/default');
  const usage = page.getByRole('region', { name: 'Usage', exact: true });
  await usage.getByText('1 to 100 of 250 rows').waitFor();
  const shown = usage.locator('tbody tr');
  t.equal(await shown.count(), 100);
  await usage.getByRole('button', { name: 'Next', exact: true }).click();
  await usage.getByRole('button', { name: 'Next', exact: true }).click();
  await usage.getByText('201 to 250 of 250 rows').waitFor();
  t.equal(await shown.count(), 50);
  await usage.getByRole('button', { name: 'Previous' }).click();
  await usage.getByText('101 to 200 of 250 rows').waitFor();
  // The newest row is the first of the table.
  rows.push({ ...(rows[0] as (typeof rows)[0]), day: '2027-01-02' });
  charged = '2.51';
  await page
    .getByRole('region', { name: 'Workspaces', exact: true })
    .getByRole('button', { name: 'Reload' })
    .click();
  await usage.getByText('102 to 201 of 251 rows').waitFor();
  t.match(await shown.first().textContent(), 'key_149', 'the page begins with the same row');
  await usage.getByRole('button', { name: 'Previous' }).click();
  await usage.getByText('2 to 101 of 251 rows').waitFor();
  await usage.getByRole('button', { name: 'Previous' }).click();
  await usage.getByText('1 to 100 of 251 rows').waitFor();
  await usage.getByRole('button', { name: 'Next', exact: true }).click();
  await usage.getByLabel('Days').selectOption('7');
  await usage.getByText('1 to 100 of 251 rows').waitFor();
});
