import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { createKey } from '../../support/access/folder-changes.js';
import { batchFile, chooseBatch, HOSTILE_LABEL, HOSTILE_NAME } from '../../support/console/batch-file.js';
import { consoleTest, enter, overflow, PHONE } from '../../support/console/console.js';
import { dropFiles } from '../../support/console/drop.js';
import { haveFocus } from '../../support/console/keyboard.js';
import { until } from '../../support/until.js';

const cells = (page: Page, column: number) =>
  page.getByRole('region', { name: 'Lines' }).locator(`tbody td:nth-child(${column})`).allTextContents();

consoleTest('a file, its progress, and its results as a table and as a file', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world, 'batches');
  await page.getByText('No batches yet.').waitFor();
  await page.getByText('Choose a batch to see its progress and its results.').waitFor();
  await chooseBatch(page, batchFile(60));
  await page.getByText('60 lines for tiny').waitFor();
  world.engine.hold();
  await page.getByRole('button', { name: 'Submit 60 lines' }).click();
  const title = page.getByRole('heading', { name: /^batch_/ });
  await title.waitFor();
  // Screen readers go on at the batch.
  await haveFocus(title);
  await page.locator('.panel .bar .badge.running').waitFor();
  await page.getByText('Results can be collected when the batch has finished.').waitFor();
  await page.getByText('0 answered, 0 failed, 60 pending').waitFor();
  world.engine.open();
  await page.getByText('100.0 %: 60 answered, 0 failed, 0 pending').waitFor();
  t.equal(await page.getByRole('progressbar').getAttribute('aria-valuenow'), '60');
  // The list follows.
  await page.locator('tbody tr', { hasText: /^batch_.*done60/ }).waitFor();
  await page.getByRole('button', { name: 'Show the results' }).click();
  await page.getByText('Page 1 of 2').waitFor();
  const panel = await page.getByRole('region', { name: /^batch_/ }).textContent();
  t.match(panel, /At the current price(< )?£0\.\d+, [\d,]+ tokens/);

  await page.getByLabel('Question').selectOption('team');
  const distribution = page.getByRole('group', { name: /^Answers; choose one/ });
  const [first] = await distribution.getByRole('button').all();
  const [, answer = '', count] = /^(\w+?)(\d+) /.exec((await first?.textContent()) ?? '') ?? [];
  await first?.click();
  await page.getByText(`${count} of 60 lines: answered ${answer}`).waitFor();
  t.strictSame([...new Set(await cells(page, 2))], [answer]);
  await first?.click();
  await page.getByLabel('Order').selectOption('most sure');
  const shares = (await cells(page, 3)).map(Number);
  t.strictSame(
    shares,
    [...shares].sort((one, other) => other - one),
  );
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page.getByText('Page 2 of 2').waitFor();
  t.ok((await cells(page, 3)).map(Number).every((each) => each <= (shares.at(-1) as number)));

  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as a file' }).click();
  const lines = readFileSync(await (await saved).path(), 'utf8')
    .trim()
    .split('\n');
  t.equal(lines.length, 60);
  t.match(JSON.parse(lines[0] as string), { custom_id: 'case-0', response: { answers: { team: Object } } });
});

consoleTest('invalid lines are listed before anything is sent', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world, 'batches');
  const [line = ''] = batchFile(1).split('\n');
  const bad = [line, 'nonsense', line].join('\n');
  await chooseBatch(page, bad);
  await page.getByText('2 lines are invalid').waitFor();
  const rows = page.getByRole('region', { name: 'Invalid lines' }).locator('tbody tr');
  t.strictSame(
    (await rows.allTextContents()).map((each) => /^\d[a-z_]+/.exec(each)?.[0]?.slice(0, 10)),
    ['2invalid_j', '3duplicate'],
  );
  t.equal(await page.getByRole('button', { name: /^Submit/ }).count(), 0);
  t.notOk(
    tab.requests.some((each) => each.endsWith('/v1/batches')),
    'nothing was sent',
  );
  await dropFiles(page.locator('.drop').first(), [{ name: 'empty.jsonl', type: '', bytes: Buffer.alloc(0) }]);
  await page.getByText('empty.jsonl: The file has no lines.').waitFor();
});

consoleTest('a model that the limits do not list is left to the server', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world, 'batches');
  await chooseBatch(page, batchFile(1).replace('tiny', 'o'.repeat(1_000)));
  const shown = `${'o'.repeat(80)}…`;
  await page.getByText(`1 line names a model that the limits of the key do not list: "${shown}".`).waitFor();
  await page.getByText(`1 line for ${shown}`).waitFor();
  t.equal(await page.getByText('o'.repeat(81)).count(), 0);
  await chooseBatch(page, batchFile(1).replace('tiny', 'other'));
  await page.getByText(/^1 line names a model that the limits of the key do not list: "other"\./).waitFor();
  await page.getByRole('button', { name: 'Submit 1 line' }).click();
  await page.getByRole('region', { name: 'Invalid lines' }).getByText('model_not_found').waitFor();
  t.ok(true);
});

consoleTest('the limits are read anew for a file that is chosen', async (t, tab, world) => {
  const { page } = tab;
  let installed = false;
  await page.route('**/v1/limits', async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { models: unknown[] };
    if (!installed) json.models = [];
    await route.fulfill({ response, json });
  });
  await enter(tab, world, 'batches');
  await page.getByRole('heading', { name: 'Batches of this key' }).waitFor();
  installed = true;
  await chooseBatch(page, batchFile(1));
  await page.getByText(/^Estimate: .*£/).waitFor();
  t.equal(await page.getByText(/do not list/).count(), 0);
  await page.unroute('**/v1/limits');
});

consoleTest('the list follows batches that are not shown', async (_, tab, world) => {
  const { page } = tab;
  await page.clock.install();
  const { token } = createKey(world.store, world.clock, 'default');
  world.engine.hold();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/jsonl' };
  await fetch(`${world.url}/v1/batches`, { method: 'POST', headers, body: batchFile(3) });
  await world.engine.held();
  await enter(tab, world, 'batches', token);
  await page.getByRole('row', { name: /running 0 of 3/ }).waitFor();
  world.engine.open();
  await until(async () => {
    await page.clock.fastForward(15_000);
    return (await page.getByRole('row', { name: /done 3 of 3/ }).count()) === 1;
  });
});

consoleTest(
  'the list follows a cancelled batch until its lines are back, and after an error',
  async (_, tab, world) => {
    const { page } = tab;
    await page.clock.install();
    const { token } = createKey(world.store, world.clock, 'default');
    world.engine.hold();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/jsonl' };
    const url = `${world.url}/v1/batches`;
    const submitted = await fetch(url, { method: 'POST', headers, body: batchFile(3) });
    const { id } = (await submitted.json()) as { id: string };
    await world.engine.held();
    await fetch(`${url}/${id}/cancel`, { method: 'POST', headers: { authorization: headers.authorization } });
    await page.route('**/v1/batches?*', (route) => route.abort());
    await enter(tab, world, 'batches', token);
    await page.getByText('unreachable').waitFor();
    await page.unroute('**/v1/batches?*');
    const comes = (name: RegExp) =>
      until(async () => {
        await page.clock.fastForward(15_000);
        return (await page.getByRole('row', { name }).count()) === 1;
      });
    await comes(/cancelled 0 of 3/);
    world.engine.open();
    await comes(/cancelled [1-3] of 3/);
  },
);

consoleTest('a batch is cancelled', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world, 'batches');
  await chooseBatch(page, batchFile(20));
  world.engine.hold();
  await page.getByRole('button', { name: 'Submit 20 lines' }).click();
  await page.locator('.panel .bar .badge.running').waitFor();
  await page.getByRole('button', { name: 'Cancel the batch' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click();
  await page.locator('.panel .bar .badge.cancelled').waitFor();
  t.equal(await page.getByRole('button', { name: 'Cancel the batch' }).count(), 0);
  await haveFocus(page.getByRole('heading', { name: /^batch_/ }));
  world.engine.open();
  await page.getByRole('button', { name: 'Show the results' }).click();
  const without = page.getByRole('button', { name: /^no answer/ });
  await without.click();
  await page.getByText(/ of 20 lines: without an answer/).waitFor();
  t.match((await cells(page, 2))[0], /^cancelled /);
});

consoleTest(
  'hostile names in results are text, on a phone',
  async (t, tab, world) => {
    const { page } = tab;
    await enter(tab, world, 'batches');
    await chooseBatch(page, batchFile(2, true));
    await page.getByRole('button', { name: 'Submit 2 lines' }).click();
    await page.getByRole('button', { name: 'Show the results' }).click();
    await page.getByLabel('Question').selectOption(HOSTILE_NAME);
    await page.getByRole('cell', { name: HOSTILE_LABEL, exact: true }).first().waitFor();
    t.equal((await cells(page, 2))[0], HOSTILE_LABEL);
    t.equal(await page.locator('img').count(), 0);
    t.equal(await page.title(), 'Batches · decider');
    t.equal(await overflow(tab), 0);
  },
  { context: { viewport: PHONE } },
);

consoleTest('a batch that does not exist, and a file chosen with the keyboard', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world, `batches/batch_${'x'.repeat(20)}`);
  const alert = page.getByRole('alert');
  await alert.getByText('batch_not_found').waitFor();
  t.match(await alert.textContent(), /Only the key that submitted a batch can see it/);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).focus();
  await page.keyboard.press('Enter');
  await (await chooser).setFiles({ name: 'lines.jsonl', mimeType: '', buffer: Buffer.from(batchFile(1)) });
  await page.getByRole('button', { name: 'Submit 1 line' }).waitFor();
});
