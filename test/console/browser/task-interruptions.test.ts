import { createKey, revokeKey } from '../../support/access/folder-changes.js';
import { type ConsoleWorld, consoleTest, enter } from '../../support/console/console.js';
import { chooseLabels, labelLines, QUESTIONS, tasksOf } from '../../support/console/tasks.js';
import { until } from '../../support/until.js';

/** Lines of one call, and a few more. */
const LINES = 1_002;

/** A task of the world's own workspace with one answer, and a file with so many labels of it. */
async function labelled(
  world: ConsoleWorld,
  name: string,
): Promise<{ file: string; labels(): Promise<number> }> {
  const tasks = tasksOf(world, world.token);
  await tasks.put(name, { questions: QUESTIONS });
  const [first, last] = await tasks.answer(name, 2);
  if (first === undefined || last === undefined) throw new Error('there are no answers');
  const lines = Array.from({ length: LINES }, (_, at) => labelLines([at < 1_000 ? first : last]));
  return { file: lines.join('\n'), labels: async () => (await tasks.show(name)).labels };
}

consoleTest(
  'labels in two calls: the browser asks before it leaves, and a stop is continued',
  async (t, tab, world) => {
    const { page } = tab;
    const { file, labels } = await labelled(world, 'two-calls');
    await enter(tab, world, 'tasks/two-calls');
    const panel = page.getByRole('region', { name: 'Labels' });
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    await page.route('**/labels', async (route) => {
      await gate;
      await route.continue();
    });
    await chooseLabels(page, file);
    const store = panel.getByRole('button', { name: /^Stor/ });
    await store.dblclick();
    await panel.getByRole('progressbar').waitFor();
    t.equal(await store.getAttribute('aria-disabled'), 'true');
    // Another view does not end it.
    await page.getByRole('link', { name: 'Usage' }).click();
    const dialog = page.waitForEvent('dialog').then(async (each) => {
      await each.dismiss();
      return each.type();
    });
    await page.reload({ timeout: 1_000 }).catch(() => {});
    t.equal(await dialog, 'beforeunload');
    await page.getByRole('link', { name: 'Tasks' }).click();
    await page.getByRole('link', { name: 'two-calls' }).click();
    await panel.getByRole('button', { name: 'Stop after this call' }).click();
    go();
    await panel.getByText('Stored: 1,000 of 1,002 lines.').waitFor();
    t.equal(await labels(), 1);
    await panel.getByRole('button', { name: 'Store the other 2 labels' }).click();
    await panel.getByText('Stored: 1,002 of 1,002 lines. The task has 2 labelled answers.').waitFor();
    t.equal(tab.requests.filter((each) => each.endsWith('/labels')).length, 2, 'nothing was sent twice');
  },
);

consoleTest('a key that is revoked in the middle of labels: another one goes on', async (t, tab, world) => {
  const { page } = tab;
  const { file, labels } = await labelled(world, 'revoked');
  const { key, token } = createKey(world.store, world.clock, 'default');
  await enter(tab, world, 'tasks/revoked', token);
  let calls = 0;
  await page.route('**/labels', async (route) => {
    calls += 1;
    if (calls === 2) revokeKey(world.store, world.clock, key.id);
    await route.continue();
  });
  await chooseLabels(page, file);
  await page.getByRole('button', { name: 'Store 1,002 labels' }).click();
  await page.getByRole('heading', { name: 'Enter a key' }).waitFor();
  t.match(await page.getByRole('alert').textContent(), /Keys expire and can be revoked/);
  t.equal(await labels(), 1);
  await page.getByLabel('Key', { exact: true }).fill(world.token);
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'Labels' });
  await panel.getByText('Stored: 1,000 of 1,002 lines.').waitFor();
  // The other key may be of another workspace.
  await panel.getByText(`1,000 labels were stored with the key ${key.id}.`).waitFor();
  await panel.getByRole('button', { name: 'Store all 1,002 labels' }).waitFor();
  t.equal(await panel.locator('button.primary').count(), 0);
  await panel.getByRole('button', { name: 'Store the other 2 labels' }).click();
  await panel.getByText('Stored: 1,002 of 1,002 lines.').waitFor();
  t.equal(await labels(), 2);
  // A key that was forgotten leaves nothing for the next one.
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByLabel('Key', { exact: true }).fill(createKey(world.store, world.clock, 'default').token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  t.equal(await panel.getByText(/^Stored: /).count(), 0);
});

consoleTest('a server that stops in the middle of labels, and of a fit', async (t, tab, world) => {
  const { page } = tab;
  const { file, labels } = await labelled(world, 'stopped');
  await enter(tab, world, 'tasks/stopped');
  const panel = page.getByRole('region', { name: 'Labels' });
  let calls = 0;
  await page.route('**/labels', async (route) => {
    calls += 1;
    if (calls === 2) await world.stop();
    await route.continue();
  });
  await chooseLabels(page, file);
  await panel.getByRole('button', { name: 'Store 1,002 labels' }).click();
  await panel.getByText('The server did not answer.').waitFor();
  await panel.getByText('Stored: 1,000 of 1,002 lines.').waitFor();
  await page
    .getByText(/^Not current, as of/)
    .first()
    .waitFor();
  await page.unroute('**/labels');
  await world.startAgain();
  await panel.getByRole('button', { name: 'Store the other 2 labels' }).click();
  await panel.getByText('Stored: 1,002 of 1,002 lines.').waitFor();
  t.equal(await labels(), 2);

  await page.route('**/fit', async (route) => {
    await world.stop();
    await route.continue();
  });
  const fit = page.getByRole('region', { name: 'Fit', exact: true });
  await fit.getByRole('button', { name: /^Fit to/ }).click();
  await fit.getByText('The server did not answer.').waitFor();
  await page.unroute('**/fit');
  await world.startAgain();
  await fit.getByRole('button', { name: /^Fit to/ }).click();
  await fit.getByText(/^Too few labels: \d+ needed$/).waitFor();
  await page.getByRole('button', { name: 'Reload' }).last().click();
  await until(async () => (await page.getByText(/^Not current, as of/).count()) === 0);
});
