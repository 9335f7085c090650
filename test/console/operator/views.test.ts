import { AXE } from '../../support/console/axe.js';
import { batchFile } from '../../support/console/batch-file.js';
import { type Tab, WIDE } from '../../support/console/console.js';
import { checkLooks } from '../../support/console/look.js';
import { enterOperator, type OperatorWorld, operatorTest, show } from '../../support/console/operator.js';
import { operatorSend } from '../../support/operator.js';

/** Every view in each of its states: its address, what an operator does there, and what is shown then. */
const VIEWS: ReadonlyArray<
  readonly [name: string, address: string, open: (tab: Tab, world: OperatorWorld) => Promise<unknown>]
> = [
  ['overview', 'overview', ({ page }) => page.getByRole('region', { name: 'Lane 1' }).waitFor()],
  ['workspaces', 'workspaces', ({ page }) => page.getByRole('row', { name: /^default/ }).waitFor()],
  [
    'workspace',
    'workspaces/default',
    ({ page }) => page.getByRole('region', { name: 'Table of usage' }).waitFor(),
  ],
  [
    'workspace-refused',
    'workspaces',
    async ({ page }) => {
      await page.getByRole('textbox', { name: 'Id', exact: true }).fill('Not Allowed');
      await page.getByRole('button', { name: 'Create the workspace' }).click();
      await page.getByRole('alert').waitFor();
    },
  ],
  [
    'keys',
    'keys',
    ({ page }) =>
      page
        .getByRole('row', { name: /default live/ })
        .first()
        .waitFor(),
  ],
  [
    'new-key',
    'keys/default',
    async ({ page }) => {
      await page.getByRole('button', { name: 'Create the key' }).click();
      await page.getByText('it cannot be shown again').waitFor();
    },
  ],
  [
    'revoke-key',
    'keys/default',
    async ({ page }) => {
      await page
        .getByRole('button', { name: /^Revoke key_/ })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
  ],
  [
    'rename-key',
    'keys/default',
    async ({ page }) => {
      await page.keyboard.press('Escape');
      await page
        .getByRole('button', { name: /^Rename key_/ })
        .first()
        .click();
      await page.getByRole('dialog').getByRole('textbox').waitFor();
    },
  ],
  [
    'close-workspace',
    'workspaces/default',
    async ({ page }) => {
      await page.getByRole('button', { name: 'Close the workspace…' }).click();
      await page.getByRole('dialog').getByRole('textbox').waitFor();
    },
  ],
  ['models', 'models', ({ page }) => page.getByRole('row', { name: /^tiny/ }).waitFor()],
  ['batches', 'batches', ({ page }) => page.getByText('There are no batches.').waitFor()],
  [
    'batches-listed',
    'batches',
    async ({ page }, { callers, token }) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/jsonl' };
      await fetch(`${callers}/v1/batches`, { method: 'POST', headers, body: batchFile(3) });
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByRole('row', { name: /^batch_.* default key_/ }).waitFor();
    },
  ],
  ['errors', 'errors', ({ page }) => page.getByText('no warnings and no errors').waitFor()],
  [
    'errors-listed',
    'errors',
    async ({ page }, { log }) => {
      log.add('warn', ['the clock has jumped by 90 s']);
      const requestId = 'req_AbCdEfGhIjKlMnOpQrSt';
      log.add('error', [{ err: new TypeError(), requestId }, '<img src=x> \u202ea request has failed']);
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByRole('row', { name: /<img src=x> .*TypeError req_/ }).waitFor();
    },
  ],
  ['audit', 'audit', ({ page }) => page.getByRole('row', { name: /workspace\.create default/ }).waitFor()],
];

/** The names of the visible tables that are wider than their places. */
const WIDE_TABLES = `[...document.querySelectorAll('.scroll')]
  .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth)
  .map((each) => each.getAttribute('aria-label'))`;

/** Names that people can give: no word of theirs ends, or they are read from right to left. */
const NAMES = ['W'.repeat(64), '\u05d0'.repeat(64), '\u{1f600}'.repeat(64), '__proto__'] as const;

operatorTest(
  'every view is accessible and within the window',
  async (t, tab, world) => {
    const { page } = tab;
    await page.goto(world.url);
    await page.getByText('Where do I get the token?').click();
    await checkLooks(t, tab, 'operator-token');
    t.equal(await world.ask(world.token), 200);
    await operatorSend(world.url, 'POST', '/api/workspaces', { id: 'w'.repeat(64) });
    for (const name of NAMES) {
      await operatorSend(world.url, 'PATCH', '/api/workspaces/default', { name });
      await operatorSend(world.url, 'POST', '/api/keys', { workspace: 'default', name });
    }
    await enterOperator(tab, world);
    for (const [name, address, open] of VIEWS) {
      await page.setViewportSize(WIDE);
      await show(tab, address);
      await open(tab, world);
      await checkLooks(t, tab, `operator-${name}`);
      // The window is as small as it gets: tables are lists.
      t.strictSame(await page.evaluate(WIDE_TABLES), [], `${name}: no table scrolls sideways`);
    }
  },
  { script: AXE },
);
