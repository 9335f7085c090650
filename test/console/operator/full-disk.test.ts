import type { Page } from 'playwright-core';
import { type Test, test } from 'tap';
import { NO_BROWSER, startBrowser } from '../../support/browser.js';
import { decider } from '../../support/cli.js';
import { batchFile, chooseBatch } from '../../support/console/batch-file.js';
import { closeTab, openTab } from '../../support/console/console.js';
import { emptyDisk, fillDisk, NO_FILE_LIMIT } from '../../support/file-limit.js';
import { OPERATOR_TOKEN, operatorFetch, operatorSettings } from '../../support/operator.js';
import { dataFolder, modelsFolder } from '../../support/server.js';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

/** The error that a form shows. */
const refusal = (page: Page) => page.getByRole('alert').filter({ visible: true });

async function start(t: Test) {
  const settings = {
    ...(await operatorSettings()),
    DECIDER_PORT: '0',
    DECIDER_DATA: dataFolder(t),
    DECIDER_MODELS: modelsFolder(dataFolder(t)),
  };
  const command = decider(t, ['serve'], settings);
  const after = async (pattern: RegExp) => (await command.line(pattern)).replace(pattern, '');
  return {
    process: command.child.pid,
    operator: await after(/^operator listener on /),
    url: await after(/^listening on /),
    token: await after(/^token: /),
  };
}

/** A form of the operator's console. */
interface Form {
  readonly view: string;
  fill(page: Page): Promise<void>;
  readonly button: string;
  /** What is shown once it is saved. */
  readonly saved: string | RegExp;
  /** The field whose value must not be lost. */
  readonly kept: readonly [field: string, value: string];
  /** The action of the audit log. */
  readonly action: string;
}

const FORMS: readonly Form[] = [
  {
    view: 'workspaces',
    fill: (page) => field(page, 'Id').fill('acme'),
    button: 'Create the workspace',
    saved: 'acme is created. It has no credit yet.',
    kept: ['Id', 'acme'],
    action: 'workspace.create',
  },
  {
    view: 'workspaces/acme',
    fill: (page) => field(page, 'Amount in GBP').fill('12.50'),
    button: 'Grant credit',
    saved: 'Credit left: £12.50.',
    kept: ['Amount in GBP', '12.50'],
    action: 'workspace.credit',
  },
  {
    view: 'workspaces/acme',
    fill: (page) => field(page, 'Requests per minute').fill('77'),
    button: 'Save the limits',
    saved: 'The limits are saved.',
    kept: ['Requests per minute', '77'],
    action: 'workspace.change',
  },
  {
    view: 'workspaces/acme',
    fill: (page) => field(page, 'Monthly budget in GBP').fill('9.00'),
    button: 'Save the budget',
    saved: 'The budget is saved.',
    kept: ['Monthly budget in GBP', '9.00'],
    action: 'workspace.change',
  },
  {
    view: 'workspaces/acme',
    fill: (page) => field(page, 'Name of the workspace').fill('Team Acme'),
    button: 'Save the name',
    saved: 'The name is saved.',
    kept: ['Name of the workspace', 'Team Acme'],
    action: 'workspace.change',
  },
  {
    view: 'keys/acme',
    fill: (page) => field(page, 'Lifetime').fill('30'),
    button: 'Create the key',
    saved: 'it cannot be shown again',
    kept: ['Lifetime', '30'],
    action: 'key.create',
  },
];

test('the disk is full in the middle of each form: nothing is lost, nothing is done twice', {
  skip: NO_BROWSER || NO_FILE_LIMIT,
}, async (t) => {
  const server = await start(t);
  const tab = await openTab(await startBrowser(t));
  t.teardown(() => closeTab(tab));
  const { page } = tab;
  await page.goto(`${server.operator}/#/workspaces`);
  await field(page, 'Operator’s token').fill(OPERATOR_TOKEN);
  await button(page, 'Continue').click();
  for (const form of FORMS) {
    await page.evaluate(`location.hash = ${JSON.stringify(`/${form.view}`)}`);
    t.equal(await refusal(page).count(), 0);
    await form.fill(page);
    fillDisk(server.process);
    await button(page, form.button).click();
    await refusal(page).waitFor();
    const [name, value] = form.kept;
    t.equal(await field(page, name).inputValue(), value, form.button);
    emptyDisk(server.process);
    await button(page, form.button).click();
    await page.getByText(form.saved).first().waitFor();
  }
  const audit = await operatorFetch(server.operator, '/api/audit?workspace=acme');
  const { entries } = (await audit.json()) as { entries: { action: string }[] };
  t.strictSame(entries.map(({ action }) => action).sort(), FORMS.map(({ action }) => action).sort());

  await page.goto(`${server.url}/console#/batches`);
  await page.getByLabel('Key', { exact: true }).fill(server.token);
  await button(page, 'Continue').click();
  await chooseBatch(page, batchFile(5));
  fillDisk(server.process);
  await button(page, 'Submit 5 lines').click();
  await refusal(page).waitFor();
  emptyDisk(server.process);
  await button(page, 'Submit 5 lines').click();
  await page.getByRole('heading', { name: /^batch_/ }).waitFor();
  const headers = { authorization: `Bearer ${server.token}` };
  const batches = await fetch(`${server.url}/v1/batches`, { headers });
  t.equal(((await batches.json()) as { data: object[] }).data.length, 1);
  t.strictSame(tab.messages, []);
});
