import type { Page } from 'playwright-core';
import { statusAppears } from '../../support/console/appears.js';
import { overflow, PHONE } from '../../support/console/console.js';
import { focusOn, haveFocus } from '../../support/console/keyboard.js';
import { enterOperator, HOSTILE_DESCRIPTION, operatorTest, show } from '../../support/console/operator.js';
import { operatorSend } from '../../support/operator.js';
import { until } from '../../support/until.js';

/** Entries of the audit log that are read at a time. */
const AUDIT_PAGE = 100;

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const field = (page: Page, name: string) => page.getByRole('textbox', { name });

/** The field for the id of a new workspace. */
const idField = (page: Page) => page.getByRole('textbox', { name: 'Id', exact: true });

/** Creates a workspace with the mouse; its details are then shown. */
async function createWorkspace(page: Page, id: string): Promise<void> {
  await idField(page).fill(id);
  await button(page, 'Create the workspace').click();
  await page.getByRole('heading', { name: id, exact: true }).waitFor();
}

/** The token that the view shows after a key was created or rolled. */
async function newToken(page: Page): Promise<string> {
  await page.getByText('it cannot be shown again').waitFor();
  return (await page.locator('.new-token pre').textContent()) ?? '';
}

operatorTest('a workspace with credit, limits and a key, until the key is revoked', async (t, tab, world) => {
  const { page } = tab;
  await enterOperator(tab, world, 'workspaces');
  await createWorkspace(page, 'acme');
  await page.getByText('acme is created. It has no credit yet.').waitFor();
  await page.getByText('requests of its keys are refused with out_of_credit').waitFor();
  await page.getByText(/^Nothing was charged from/).waitFor();

  await page.getByRole('region', { name: 'acme' }).getByRole('link', { name: 'Keys' }).click();
  await page.getByText('There is no key that works.').waitFor();
  await field(page, 'Lifetime').fill('30');
  await button(page, 'Create the key').click();
  const token = await newToken(page);
  t.match(token, /^dk_[A-Za-z0-9]{40}$/);
  t.equal(await world.ask(token), 402, 'there is no credit');

  await show(tab, 'workspaces/acme');
  await field(page, 'Amount in GBP').fill('12.50');
  await button(page, 'Grant credit').click();
  await page.getByText('Credit left: £12.50.').waitFor();
  await page.getByRole('row', { name: /^acme £12\.50/ }).waitFor();
  t.equal(await world.ask(token), 200, 'the credit applies to the next request');

  await field(page, 'Requests per minute').fill('1');
  await button(page, 'Save the limits').click();
  await page.getByText('The limits are saved.').waitFor();
  t.equal(await world.ask(token), 429, 'the limit applies to the next request');
  await field(page, 'Requests per minute').fill('6000');
  await button(page, 'Save the limits').click();
  await page.getByText('Requests per minute6,000').waitFor();
  t.equal(await world.ask(token), 200);

  await field(page, 'Monthly budget in GBP').fill('0');
  await button(page, 'Save the budget').click();
  await page.getByText('The budget is saved.').waitFor();
  t.equal(await world.ask(token), 402, 'the budget applies to the next request');
  await field(page, 'Monthly budget in GBP').fill('');
  await button(page, 'Save the budget').click();
  await page.getByText('Monthly budgetnone').waitFor();
  t.equal(await world.ask(token), 200);

  await page.getByRole('checkbox', { name: 'All models' }).uncheck();
  await page.getByRole('checkbox', { name: 'tiny' }).uncheck();
  await page.getByText('Choose at least one model.').waitFor();
  t.equal(await button(page, 'Save the models').getAttribute('aria-disabled'), 'true');
  await page.getByRole('checkbox', { name: 'tiny' }).check();
  await button(page, 'Save the models').click();
  await page.getByText('The models are saved.').waitFor();
  t.equal(await world.ask(token), 200);

  await show(tab, 'keys/acme');
  t.equal(await newToken(page), token, 'it is shown until it is stored');
  await button(page, 'I have stored the token').click();
  t.notMatch(await page.content(), token);
  const row = page.getByRole('row', { name: /^key_/ });
  const id = (await row.locator('code').first().textContent()) as string;
  await button(page, `Revoke ${id}`).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke the key' }).click();
  await page.getByText(`${id} is revoked.`).waitFor();
  t.equal(await world.ask(token), 401, 'the next request is refused');
  await page.getByLabel('All', { exact: true }).check();
  await page.getByRole('row', { name: new RegExp(`${id}.*revoked`) }).waitFor();

  await show(tab, 'audit');
  await page.getByRole('row', { name: /key\.revoke acme/ }).waitFor();
  const log = page.getByRole('region', { name: 'Table of administrative changes' });
  for (const action of ['workspace.create', 'workspace.credit', 'workspace.change', 'key.create']) {
    await log
      .getByRole('row', { name: `operator:127.0.0.1 ${action} acme` })
      .first()
      .waitFor();
  }
  t.match(await log.textContent(), id);
  t.notMatch(await log.textContent(), token);
});

operatorTest('names of workspaces and keys, and a workspace that is closed', async (t, tab, world) => {
  const { page } = tab;
  const hostile = '<img src=x onerror="document.title=1"> \u05e9\u05dc\u05d5\u05dd';
  await enterOperator(tab, world, 'workspaces');
  await field(page, 'Name (optional)').fill('  Team Blue ');
  await createWorkspace(page, 'blue');
  const rows = page.getByRole('region', { name: 'Table of workspaces' });
  await rows.getByRole('row', { name: /^blue Team Blue/ }).waitFor();
  const name = field(page, 'Name of the workspace');
  await name.fill('x'.repeat(65));
  await page.getByText('A name has at most 64 characters.').waitFor();
  await name.fill(hostile);
  const form = page.getByRole('form', { name: 'Name of the workspace' });
  await form.getByRole('button', { name: 'Save the name' }).click();
  await page.getByText('The name is saved.').waitFor();
  await rows.getByText(hostile).waitFor();
  await field(page, 'Amount in GBP').fill('1');
  await button(page, 'Grant credit').click();
  await page.getByText('Credit left: £1.00.').waitFor();

  await show(tab, 'keys/blue');
  await field(page, 'Name (optional)').and(page.locator(':visible')).fill('nightly import');
  await button(page, 'Create the key').click();
  const token = await newToken(page);
  t.equal(await world.ask(token), 200);
  const row = page.getByRole('row', { name: /^nightly import key_/ });
  await row.getByText('unknown').waitFor();
  const id = (await row.locator('code').first().textContent()) as string;
  await button(page, `Rename ${id}`).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(hostile);
  await dialog.getByRole('button', { name: 'Save the name' }).click();
  await page.getByText(`${id} is named ${hostile}.`).waitFor();
  await field(page, 'Search').and(page.locator(':visible')).fill('ONERROR=');
  await page.getByText('1 key', { exact: true }).waitFor();

  await show(tab, 'workspaces/blue');
  await button(page, 'Close the workspace…').click();
  const confirm = dialog.getByRole('button', { name: 'Close the workspace' });
  t.equal(await confirm.isDisabled(), true);
  await dialog.getByRole('textbox').fill('blue');
  await confirm.click();
  await page.getByText('blue is closed.').waitFor();
  await page.getByText('requests of its keys are refused with unauthorized').waitFor();
  await rows.getByRole('row', { name: /^blue closed/ }).waitFor();
  t.equal(await world.ask(token), 401);
  await show(tab, 'keys/blue');
  await page.getByLabel('All', { exact: true }).check();
  await page.getByRole('row', { name: new RegExp(`${id}.* closed`) }).waitFor();
  await show(tab, 'workspaces/blue');
  await button(page, 'Open the workspace again').click();
  await page.getByText('blue is open again.').waitFor();
  t.equal(await world.ask(token), 200);
  t.equal(await page.locator('img').count(), 0);
});

operatorTest('everything with the keyboard', async (_, tab, world) => {
  const { page } = tab;
  const press = async (name: string | RegExp) => {
    await focusOn(page, button(page, name).first());
    await page.keyboard.press('Enter');
  };
  await enterOperator(tab, world);
  await page.keyboard.press('Shift+Tab');
  await focusOn(page, page.getByRole('link', { name: 'Workspaces' }));
  await page.keyboard.press('Enter');
  await focusOn(page, idField(page));
  await page.keyboard.type('keyboard');
  await page.keyboard.press('Enter');
  // Screen readers go on at the new workspace.
  await haveFocus(page.getByRole('heading', { name: 'keyboard', exact: true }));
  await focusOn(page, field(page, 'Amount in GBP'));
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await page.getByText('Credit left: £5.00.').waitFor();
  await show(tab, 'keys/keyboard');
  await page.getByText('There is no key that works.').waitFor();
  await press('Create the key');
  await haveFocus(page.getByRole('heading', { name: 'The new key of keyboard' }));
  await press('I have stored the token');
  await haveFocus(page.getByRole('heading', { name: 'Keys', exact: true }));
  await press(/^Roll key_/);
  await haveFocus(button(page, 'Cancel'));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await haveFocus(page.getByRole('heading', { name: 'The new key of keyboard' }));
  await page.getByText(/^key_\w+ works until /).waitFor();
  await press('I have stored the token');
  await haveFocus(page.getByRole('heading', { name: 'Keys', exact: true }));
  await press(/^Rename key_/);
  await haveFocus(page.getByRole('dialog').getByRole('textbox', { name: 'Name' }));
  await page.keyboard.type('mine');
  await page.keyboard.press('Enter');
  await page.getByText(/^key_\w+ is named mine\.$/).waitFor();
  await press(/^Revoke key_/);
  await haveFocus(button(page, 'Cancel'));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await haveFocus(button(page, /^Revoke key_/).first());
  await page.keyboard.press('Enter');
  await haveFocus(button(page, 'Cancel'));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText(/^key_\w+ is revoked\.$/).waitFor();
  await haveFocus(page.getByRole('heading', { name: 'Keys', exact: true }));
});

operatorTest(
  'hostile and unknown names are text, on a phone',
  async (t, tab, world) => {
    const { page } = tab;
    const hostile = '<img src=x onerror="document.title=1">\u202e__proto__';
    await enterOperator(tab, world, `workspaces/${encodeURIComponent(hostile)}`);
    await page.getByText('There is no workspace with this id.').waitFor();
    for (const id of [hostile, '__proto__', 'x'.repeat(65)]) {
      await idField(page).fill(id);
      await button(page, 'Create the workspace').click();
      const alert = page.getByRole('alert').filter({ hasText: id });
      await alert.waitFor();
      t.match(await alert.textContent(), /invalid_request · status 400 · field id/);
    }
    await show(tab, 'models');
    await page.getByText(HOSTILE_DESCRIPTION).waitFor();
    for (const view of ['keys/__proto__', 'batches/constructor', '__proto__', 'toString']) {
      await show(tab, view);
      await page.locator('h2:visible, [role=alert]:visible').first().waitFor();
    }
    await createOnPhone(page, tab);
    t.equal(await page.locator('img').count(), 0);
    t.match(await page.title(), / · decider operator$/);
    t.equal(await overflow(tab), 0);
  },
  { context: { viewport: PHONE } },
);

/** Creates a workspace with the longest name that is possible. */
async function createOnPhone(page: Page, tab: Parameters<typeof show>[0]): Promise<void> {
  await show(tab, 'workspaces');
  await createWorkspace(page, 'long-name-'.repeat(7).slice(0, 64).replace(/-$/, 'x'));
}

operatorTest('batches by state, without their contents', async (t, tab, world) => {
  const { page } = tab;
  const line = { custom_id: 'private', model: 'tiny', state: 'private', questions: { q: { type: 'noul' } } };
  const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/jsonl' };
  const url = `${world.callers}/v1/batches`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(line) });
  const { id } = (await response.json()) as { id: string };
  await page.clock.install();
  await enterOperator(tab, world, 'batches');
  const row = page.getByRole('row', { name: new RegExp(`^${id} default key_`) });
  await row.waitFor();
  // The list follows the batch.
  await until(async () => {
    await page.clock.fastForward(5_000);
    return (await row.getByText('done', { exact: true }).count()) === 1;
  });
  await row.getByText('1 of 1').waitFor();
  t.notMatch(await page.content(), 'private');
  await page.getByLabel('State').selectOption('failed');
  await page.getByText('No batch matches. Choose another state or workspace.').waitFor();
  await page.getByLabel('State').selectOption('done');
  await row.waitFor();
  await page.getByLabel('Workspace').and(page.locator(':visible')).fill('default');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/batches\/default$/);
  await row.waitFor();
});

operatorTest('a batch is cancelled, and the audit log is filtered', async (_, tab, world) => {
  const { page } = tab;
  const line = { model: 'tiny', state: 'x', questions: { q: { type: 'noul' } } };
  const lines = Array.from({ length: 10 }, (_, at) => JSON.stringify({ ...line, custom_id: `c${at}` }));
  // It cannot finish before it is cancelled.
  world.engine.hold();
  const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/jsonl' };
  const sent = { method: 'POST', headers, body: lines.join('\n') };
  const { id } = (await (await fetch(`${world.callers}/v1/batches`, sent)).json()) as { id: string };
  await enterOperator(tab, world, 'batches');
  await button(page, `Cancel ${id}`).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the batch' }).click();
  await page.getByText(`${id} is cancelled.`).waitFor();
  await page.getByRole('row', { name: new RegExp(`^${id}.* cancell`) }).waitFor();
  await show(tab, 'audit');
  const rows = page.getByRole('region', { name: 'Table of administrative changes' }).locator('tbody tr');
  await page.getByLabel('Action').selectOption('batch.cancel');
  await until(async () => (await rows.count()) === 1);
  await rows.getByText(`batch: ${id}`).waitFor();
  await page.getByRole('combobox', { name: 'Workspace' }).and(page.locator(':visible')).fill('nobody');
  await page.keyboard.press('Enter');
  await page.getByText('No entry matches.').waitFor();
});

operatorTest(
  'the overview has the last hour and the workspaces with the most requests',
  async (t, tab, world) => {
    const { page } = tab;
    await world.ask(world.token);
    await enterOperator(tab, world);
    const panel = page.getByRole('region', { name: 'Last hour' });
    const latency = panel.getByRole('figure').filter({ hasText: 'Latency: p50, p95, p99' });
    await latency.waitFor();
    await panel.getByRole('row', { name: /^default \d/ }).waitFor();
    t.match(await panel.textContent(), /Requests per minute[\d,]+ in the hour60 mintop \d+ \/min/);
    t.match(await panel.textContent(), /Failed \(5xx\)\d+\.\d %/);
    t.match(await latency.textContent(), /p99([\d.]+ ms(, )?){3}60 min/);
    t.equal(await latency.locator('g').count(), 3, 'one chart has the three percentiles');
    const { x = 0, width = 0 } = (await latency.locator('svg').boundingBox()) ?? {};
    await latency.locator('svg').dispatchEvent('pointermove', { clientX: x + width - 1 });
    t.match(await latency.textContent(), /p99\d+:\d\d:\d\d.*: (none|([\d.]+ ms(, )?){3})60 min/);
  },
);

operatorTest(
  'a token is copied, and older entries of the audit log are shown',
  async (t, tab, world) => {
    const { page } = tab;
    for (let at = 1; at <= AUDIT_PAGE; at += 1) {
      const { status } = await operatorSend(world.url, 'POST', '/api/workspaces/default/grants', {
        amount: '1',
      });
      if (status !== 200) t.fail(`status ${status}`);
    }
    await enterOperator(tab, world, 'keys/default');
    await button(page, 'Create the key').click();
    const token = await newToken(page);
    const copied = statusAppears(page, 'Copied');
    await button(page, 'Copy the token').click();
    await copied;
    t.equal(await page.evaluate('navigator.clipboard.readText()'), token);
    await show(tab, 'audit');
    const rows = page.getByRole('region', { name: 'Table of administrative changes' }).locator('tbody tr');
    await rows.nth(AUDIT_PAGE - 1).waitFor();
    t.equal(await rows.count(), AUDIT_PAGE);
    while ((await button(page, 'Older entries').count()) > 0) {
      const known = await rows.count();
      await button(page, 'Older entries').click();
      await rows.nth(known).waitFor();
    }
    t.match(await rows.last().textContent(), /^1.*serverworkspace\.createdefault/);
    const numbers = (await rows.locator('td:first-child').allTextContents()).map(Number);
    t.strictSame(
      numbers,
      numbers.map((_, at) => numbers.length - at),
      'every entry once',
    );
  },
  { context: { permissions: ['clipboard-read', 'clipboard-write'] } },
);
