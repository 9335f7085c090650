import { createKey } from '../../support/access/folder-changes.js';
import { batchFile, chooseBatch } from '../../support/console/batch-file.js';
import { ask, consoleTest, enter } from '../../support/console/console.js';
import { until } from '../../support/until.js';

const DAY_MS = 86_400_000;

consoleTest('the time of deletion is read again after the results were collected', async (t, tab, world) => {
  const { page } = tab;
  const { token } = createKey(world.store, world.clock, 'default');
  await enter(tab, world, 'batches', token);
  await chooseBatch(page, batchFile(2));
  await page.getByRole('button', { name: 'Submit 2 lines' }).click();
  const show = page.getByRole('button', { name: 'Show the results' });
  await show.waitFor();
  const deleted = page.getByText('Deleted after').locator('..').locator('dd');
  const before = await deleted.textContent();
  world.clock.advance(DAY_MS);
  await show.click();
  await page.getByRole('region', { name: 'Lines' }).waitFor();
  await until(async () => (await deleted.textContent()) !== before);
  const [id] = /batch_\w+/.exec(page.url()) ?? [];
  const response = await fetch(`${world.url}/v1/batches/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { delete_after: truth } = (await response.json()) as { delete_after: string };
  const shown = Date.parse((await deleted.textContent())?.replaceAll('\u202f', ' ') ?? '');
  t.equal(shown, new Date(truth).setUTCSeconds(0, 0));
});

consoleTest('answers to an earlier request are marked, until it is the same again', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  await ask(tab);
  const answers = page.getByRole('region', { name: 'Answers' });
  t.match(await answers.textContent(), /As of \w+ \d/);
  const name = page.getByLabel('Name', { exact: true }).first();
  await name.fill('other');
  await page.getByText('The request has been changed since').waitFor();
  t.match(await answers.textContent(), /Not current, as of \w+ \d/);
  t.equal(await page.locator('.sourced.old').count(), 1);
  await name.fill('angry');
  await page.getByText('Answered.').waitFor();
  t.equal(await page.locator('.sourced.old').count(), 0);
});

consoleTest('what could not be read again is marked as old', async (_, tab, world) => {
  const { page } = tab;
  await enter(tab, world, 'usage');
  const credit = page.getByRole('region', { name: 'Credit' });
  await credit.getByText(/^As of/).waitFor();
  await page.route('**/v1/{limits,usage}*', (route) => route.abort());
  await credit.getByRole('button', { name: 'Reload' }).click();
  await credit.getByText(/^Not current, as of/).waitFor();
  // The credit and the days, which are read by different calls.
  await until(async () => (await page.locator('.sourced.old').count()) === 2);
  await page.unroute('**/v1/{limits,usage}*');
  await credit.getByRole('button', { name: 'Reload' }).click();
  await credit.getByText(/^As of/).waitFor();
});
