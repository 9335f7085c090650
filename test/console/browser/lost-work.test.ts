import { createHash } from 'node:crypto';
import { type Draft, option, question } from '../../../src/console/ask/ask-draft.js';
import { FIRST_DRAFT } from '../../../src/console/ask/examples.js';
import { packDraft } from '../../../src/console/ask/share.js';
import { createKey } from '../../support/access/folder-changes.js';
import { batchFile, chooseBatch } from '../../support/console/batch-file.js';
import { ask, consoleTest, enter } from '../../support/console/console.js';
import { dropFiles } from '../../support/console/drop.js';
import { png } from '../../support/images/png.js';
import { until } from '../../support/until.js';

/** The batches of a key. */
async function batchesOf(url: string, token: string): Promise<unknown[]> {
  const response = await fetch(`${url}/v1/batches`, { headers: { authorization: `Bearer ${token}` } });
  return ((await response.json()) as { data: unknown[] }).data;
}

consoleTest('a reload during a submission, and the same file again: one batch', async (t, tab, world) => {
  const { page } = tab;
  const { token } = createKey(world.store, world.clock, 'default');
  const file = batchFile(3);
  await enter(tab, world, 'batches', token);
  // The server gets the file; the page does not get the response.
  let asked = 0;
  await page.route('**/v1/batches', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    asked += 1;
    await route.fetch();
    if (asked > 1) await route.continue();
  });
  await chooseBatch(page, file);
  await page.getByRole('button', { name: 'Submit 3 lines' }).click();
  await until(async () => (await batchesOf(world.url, token)).length === 1);
  const dialog = page.waitForEvent('dialog').then((each) => each.accept().then(() => each.type()));
  await page.reload();
  t.equal(await dialog, 'beforeunload', 'the browser asks before it leaves');
  await chooseBatch(page, file);
  await page.getByText('The last submission of this file was interrupted.').waitFor();
  await page.unroute('**/v1/batches');
  await page.getByRole('button', { name: 'Submit 3 lines' }).click();
  await page.getByText(/^lines\.jsonl (was submitted already|is submitted) as batch_/).waitFor();
  t.equal((await batchesOf(world.url, token)).length, 1);

  await chooseBatch(page, file);
  await page.getByText(/^This file is already batch_/).waitFor();
  t.equal(await page.getByRole('button', { name: 'Submit 3 lines', exact: true }).count(), 0);
  await page.getByRole('button', { name: 'Submit 3 lines again' }).click();
  await until(async () => (await batchesOf(world.url, token)).length === 2);
  const kept = await page.evaluate<string>('JSON.stringify({ ...localStorage })');
  t.match(kept, createHash('sha256').update(file).digest('hex'));
  t.notMatch(kept, 'case-1', 'nothing of the file is kept');
  t.notMatch(kept, token);
});

consoleTest('a submission from another tab is the same batch', async (t, tab, world) => {
  const { page } = tab;
  const { token } = createKey(world.store, world.clock, 'default');
  const file = batchFile(2);
  for (let visit = 0; visit < 2; visit += 1) {
    await enter(tab, world, 'batches', token);
    await page.getByRole('heading', { name: 'Batches of this key' }).waitFor();
    await chooseBatch(page, file);
    await page.getByRole('button', { name: 'Submit 2 lines', exact: true }).click();
    await page.getByText(visit === 0 ? 'lines.jsonl is submitted as' : 'was submitted already as').waitFor();
    // As in a browser that has not submitted it.
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await page.goto('about:blank');
  }
  t.equal((await batchesOf(world.url, token)).length, 1);
});

consoleTest('a finished upload leaves the user in the view to which he went', async (t, tab, world) => {
  const { page } = tab;
  const { token } = createKey(world.store, world.clock, 'default');
  await enter(tab, world, 'batches', token);
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route('**/v1/batches', async (route) => {
    if (route.request().method() === 'POST') await gate;
    await route.continue();
  });
  await chooseBatch(page, batchFile(1));
  await page.getByRole('button', { name: 'Submit 1 line' }).click();
  await page.getByRole('progressbar', { name: 'Part of the file that is sent' }).waitFor();
  await page.getByRole('link', { name: 'Ask', exact: true }).click();
  go();
  await until(async () => (await batchesOf(world.url, token)).length === 1);
  await page.getByRole('form', { name: 'Request' }).waitFor();
  t.match(page.url(), /#\/ask$/);
  await page.getByRole('link', { name: 'Batches' }).click();
  await page.getByText('lines.jsonl is submitted as').waitFor();
});

consoleTest('a draft outlives a reload; the browser asks before it loses images', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  const state = page.getByLabel('State, as text');
  await state.fill('A draft that is kept');
  await page.getByLabel('Name', { exact: true }).first().fill('kept');
  await page.reload();
  await state.getByText('A draft that is kept').waitFor();
  t.equal(await page.getByLabel('Name', { exact: true }).first().inputValue(), 'kept');
  t.notMatch(page.url(), 'kept', 'it is not in the address');
  const images = page.getByRole('region', { name: 'Images' });
  await page.getByRole('button', { name: 'Two shapes in an image' }).click();
  await images.getByText('Used 1 time.').waitFor();
  await until(() => page.evaluate<boolean>("sessionStorage.getItem('decider.draft').includes('shapes.png')"));
  const dialog = page.waitForEvent('dialog').then((each) => each.accept().then(() => each.type()));
  await page.reload();
  t.equal(await dialog, 'beforeunload');
  await page.getByText('Which shape is on the left?').waitFor();
  t.equal(await images.getByText('Used 1 time.').count(), 0);
});

const shared = async (state: string): Promise<string> =>
  `#/ask?r=${await packDraft({ ...FIRST_DRAFT, state } satisfies Draft)}`;

consoleTest('examples, links and removals are undone as a whole', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  const state = page.getByLabel('State, as text');
  const names = async () => {
    const fields = await page.getByLabel('Name', { exact: true }).all();
    return Promise.all(fields.map((each) => each.inputValue()));
  };
  const undo = page.getByRole('button', { name: 'Undo' });
  await state.fill('My own text');
  await page.getByLabel('Name', { exact: true }).first().fill('mine');
  await page.getByRole('button', { name: 'Damaged parcel' }).click();
  await page.getByText('The example “Damaged parcel” is loaded.').waitFor();
  t.strictSame(await names(), ['damaged', 'wish']);
  await undo.click();
  await state.getByText('My own text').waitFor();
  t.strictSame(await names(), ['mine', 'team', 'urgency']);
  await undo.click();
  t.strictSame(await names(), ['damaged', 'wish'], 'undoing is undone');
  await undo.click();

  await page.getByRole('button', { name: 'Remove question 2' }).click();
  t.strictSame(await names(), ['mine', 'urgency']);
  await undo.click();
  t.strictSame(await names(), ['mine', 'team', 'urgency']);
  await page.getByRole('button', { name: 'Remove option 2' }).click();
  t.equal(await page.getByLabel('Label of option 3').count(), 0);
  await undo.click();
  t.equal(await page.getByLabel('Label of option 2').inputValue(), 'technical');

  // Links, forward and back.
  await page.evaluate(`location.hash = ${JSON.stringify(await shared('The first link'))}`);
  await state.getByText('The first link').waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(await shared('The second link'))}`);
  await state.getByText('The second link').waitFor();
  await state.fill('The second link, edited');
  await page.goBack();
  await state.getByText('The first link').waitFor();
  await undo.click();
  await state.getByText('The second link, edited').waitFor();
  // A reload does not open the link again.
  await page.reload();
  await state.getByText('The second link, edited').waitFor();
});

consoleTest('a question keeps the options of each type', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world, `ask?r=${await packDraft({ ...FIRST_DRAFT, questions: [labelled()] })}`);
  const type = page.getByRole('combobox', { name: 'Type', exact: true });
  // The first draft, which is shown before the link is read, has three.
  await until(async () => (await type.count()) === 1);
  await type.selectOption('noul');
  await page.getByLabel('Description of Yes').fill('It is.');
  await type.selectOption('choice');
  t.equal(await page.getByLabel('Label of option 1').inputValue(), 'billing');
  await type.selectOption('noul');
  t.equal(await page.getByLabel('Description of Yes').inputValue(), 'It is.');
  await page.reload();
  await type.selectOption('choice');
  t.equal(await page.getByLabel('Label of option 2').inputValue(), 'sales', 'after a reload too');
  await ask(tab);
});

const labelled = () => question('team', 'choice', 'Who?', [option('billing'), option('sales')]);

consoleTest('files that are dropped twice during a submission change nothing', async (t, tab, world) => {
  const { page } = tab;
  const { token } = createKey(world.store, world.clock, 'default');
  await enter(tab, world, 'batches', token);
  // The server answers only after the drop: later it would be the choice of another file.
  let release = () => {};
  const dropped = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/v1/batches', async (route) => {
    if (route.request().method() === 'POST') await dropped;
    await route.continue();
  });
  await chooseBatch(page, batchFile(1));
  const button = page.getByRole('button', { name: /^Submit/ });
  await button.dblclick();
  await page.getByText('Submitting…').waitFor();
  await dropFiles(page.locator('.drop').first(), [{ name: 'other.png', type: 'image/png', bytes: png() }]);
  t.equal(await page.getByText('other.png').count(), 0);
  release();
  await page.getByText('lines.jsonl is submitted as').waitFor();
  t.equal((await batchesOf(world.url, token)).length, 1);
});
