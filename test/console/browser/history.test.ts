import { readFileSync } from 'node:fs';
import { option, question } from '../../../src/console/ask/ask-draft.js';
import { FIRST_DRAFT } from '../../../src/console/ask/examples.js';
import { packDraft } from '../../../src/console/ask/share.js';
import { createKey } from '../../support/access/folder-changes.js';
import { AXE, violations } from '../../support/console/axe.js';
import { ask, consoleTest, enter } from '../../support/console/console.js';
import { until } from '../../support/until.js';

consoleTest(
  'answered requests are kept without the key, shown again and cleared',
  async (t, tab, world) => {
    const { page } = tab;
    await enter(tab, world);
    await ask(tab);
    const state = page.getByLabel('State, as text');
    await state.fill('The second request');
    await ask(tab);
    await until(async () => (await page.locator('.past li').count()) === 2);
    await page.reload();
    await page.getByRole('heading', { name: 'History' }).click();
    const first = page.locator('.past li').nth(1);
    t.match(await first.textContent(), /My card was charged twice.*angry: (Yes|No) \d+\.\d %/);
    t.strictSame(await violations(page), []);
    await first.getByRole('button').click();
    await state.getByText('My card was charged twice').waitFor();
    await page.getByText('Answered.').waitFor();
    t.equal(await page.locator('.answer').count(), 3, 'with its answers');
    await page.getByRole('button', { name: 'Undo' }).click();
    await state.getByText('The second request').waitFor();
    const kept = () => page.evaluate<string>('JSON.stringify({ ...localStorage })');
    t.match(await kept(), 'The second request');
    t.notMatch(await kept(), world.token);
    await page.getByRole('button', { name: 'Clear the history' }).click();
    t.equal(await kept(), '{}');
    t.equal(await page.locator('.past li').count(), 0);
  },
  { script: AXE },
);

consoleTest('sets of questions are saved, exported, imported and loaded', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  await page.getByText('Saved questions (0)').click();
  await page.getByLabel('Name of the set').fill('Mine');
  await page.getByRole('button', { name: 'Save these questions' }).click();
  await page.getByText('Mine is saved.').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export all' }).click();
  const file = readFileSync(await (await download).path(), 'utf8');
  t.match(JSON.parse(file), { Mine: { angry: { type: 'noul' }, urgency: { type: 'score' } } });
  await page.getByRole('button', { name: 'Delete Mine' }).click();
  await page.getByText('Saved questions (0)').waitFor();
  const choose = async (content: string) => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import a file' }).click();
    await (await chooser).setFiles({ name: 'sets.json', mimeType: '', buffer: Buffer.from(content) });
  };
  for (const wrong of ['no JSON', '[]', '{"a": 1}', `{"${'n'.repeat(101)}": {}}`]) {
    await choose(wrong);
    await until(
      async () =>
        !/is imported|is deleted/.test(`${await page.locator('.sets [role=status]').textContent()}`),
    );
    t.equal(await page.getByText('Saved questions (0)').count(), 1, wrong);
  }
  await choose(file);
  await page.getByText('sets.json is imported.').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Small record' }).click();
  await page.getByText('Saved questions (1)').click();
  await page.getByRole('button', { name: 'Load Mine' }).click();
  t.equal(await page.getByLabel('Name', { exact: true }).nth(2).inputValue(), 'urgency');
  await page.getByRole('button', { name: 'Undo' }).click();
  t.equal(await page.getByLabel('Name', { exact: true }).nth(1).inputValue(), 'status');
});

consoleTest('two answers are compared, option by option', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  await ask(tab);
  await page.getByRole('button', { name: 'Compare with the next answers' }).click();
  await page.getByText('Choose another model or change the wording, then ask.').waitFor();
  await page.getByLabel('Instructions').first().fill('Is anybody content?');
  await page.getByText('The request has been changed since').waitFor();
  await ask(tab);
  const table = page.getByRole('region', { name: 'Comparison' });
  await table.waitFor();
  const rows = await table.locator('tbody tr').allTextContents();
  t.equal(rows.length, 2 + 3 + 4);
  for (const row of rows) {
    const [, a = '', b = '', sign = '', by = ''] =
      /(\d\.\d{4})(?: \(chosen\))?(\d\.\d{4})(?: \(chosen\))?([+−±])(\d\.\d{4})$/.exec(row) ?? [];
    const difference = Number(b) - Number(a);
    t.ok(Math.abs(Math.abs(difference) - Number(by)) < 2e-4, row);
    t.equal(sign, difference > 5e-5 ? '+' : difference < -5e-5 ? '−' : sign, row);
  }
  t.match(await table.locator('tfoot').textContent(), /Model.*Input tokens.*Cost.*Round trip/);
  await page.getByRole('button', { name: /^Ask 20 times \((< )?£0\.\d+\)$/ }).waitFor();
  await page.getByRole('button', { name: 'End the comparison' }).click();
  t.equal(await table.count(), 0);
});

consoleTest('many answers begin with a table of all, and are folded', async (t, tab, world) => {
  const { page } = tab;
  const questions = Array.from({ length: 5 }, (_, at) =>
    question(`q${at + 1}`, 'choice', 'Which?', [option('a'), option('b')]),
  );
  await enter(tab, world, `ask?r=${await packDraft({ ...FIRST_DRAFT, questions })}`);
  await page.getByText('5 of 16').waitFor();
  await ask(tab);
  const rows = page.locator('table.summary tbody tr');
  t.equal(await rows.count(), 5);
  for (const row of await rows.allTextContents()) t.match(row, /^q\d(a|b)0\.\d{4}$/);
  t.equal(await page.locator('.answer[open]').count(), 0);
  await rows.nth(3).getByRole('button', { name: 'q4' }).click();
  t.equal(await page.locator('.answer[open] h3').textContent(), 'q4');
});

consoleTest('a table becomes a batch with the questions of Ask', async (t, tab, world) => {
  const { page } = tab;
  const { token } = createKey(world.store, world.clock, 'default');
  await enter(tab, world, 'batches', token);
  await page.getByText('Make a batch from a table').click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a table' }).click();
  const csv = 'id,text,note\na-1,"My card, again",x\na-2,It works now,=1+1\n';
  await (await chooser).setFiles({ name: 'cases.csv', mimeType: '', buffer: Buffer.from(csv) });
  await page.getByText('cases.csv: 2 records, 3 columns').waitFor();
  await page.getByRole('checkbox', { name: 'note' }).uncheck();
  await page.getByText('"custom_id": "a-1"').waitFor();
  await page.getByRole('button', { name: 'Use 2 lines' }).click();
  await page.getByText('cases.jsonl: 2 lines').waitFor();
  await page.getByText(/^Estimate: (< )?£0\.\d+ for [\d,]+ tokens/).waitFor();
  await page.getByRole('button', { name: 'Submit 2 lines' }).click();
  await page.getByRole('button', { name: 'Show the results' }).click();
  await page.getByRole('region', { name: 'Lines' }).getByText('a-2').waitFor();
  await page.getByLabel('Question').selectOption('urgency');
  const levels = await page.locator('.distribution .name').allTextContents();
  t.ok(levels.every((each) => /^[0-3] · (can wait|this week|today|now)$/.test(each)));
  t.strictSame(levels, [...levels].sort());
  const [submitted] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose the submitted file' }).click(),
  ]);
  const lines = '{"custom_id":"a-1","state":"My card, again"}\nnonsense\n{"custom_id":"other","state":"x"}';
  await submitted.setFiles({ name: 'cases.jsonl', mimeType: '', buffer: Buffer.from(lines) });
  await page.getByText('cases.jsonl has 1 line of 2.').waitFor();
  await page.getByRole('cell', { name: 'My card, again' }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const saved = readFileSync(await (await download).path(), 'utf8');
  t.match(saved, /^\ufeffcustom_id,angry,angry \(confidence\),team,/);
  t.equal(saved.split('\r\n').length, 4);
});

consoleTest('a file of OpenAI’s batches is recognized', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world, 'batches');
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: { model: 'x' } };
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  const buffer = Buffer.from(JSON.stringify(line));
  await (await chooser).setFiles({ name: 'openai.jsonl', mimeType: '', buffer });
  await page.getByText('This is a line of an OpenAI batch.').waitFor();
  t.equal(await page.getByRole('button', { name: /^Submit/ }).count(), 0);
});
