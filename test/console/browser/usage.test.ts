import {
  changeWorkspace,
  createKey,
  createWorkspace,
  grantCredit,
} from '../../support/access/folder-changes.js';
import { AXE, violations } from '../../support/console/axe.js';
import { batchFile } from '../../support/console/batch-file.js';
import { type ConsoleWorld, consoleTest, enter, type Tab } from '../../support/console/console.js';
import { until } from '../../support/until.js';

const DAY_MS = 86_400_000;
/** Of one unit of the currency. */
const UNITS = 10n ** 12n;

consoleTest('credit, budget, limits and expiry of a key', async (t, tab, world) => {
  const { page } = tab;
  const { store, clock } = world;
  createWorkspace(store, clock, 'own');
  grantCredit(store, clock, 'own', 20n * UNITS);
  changeWorkspace(store, clock, 'own', { budget: 5n * UNITS });
  const made = clock.now();
  const { token } = createKey(store, clock, 'own', made + DAY_MS);
  // The page shows the key as it was made: the day may end meanwhile.
  await page.route('**/v1/limits', async (route) => {
    const response = await route.fetch();
    const date = new Date(made).toUTCString();
    await route.fulfill({ response, headers: { ...response.headers(), date } });
  });
  await enter(tab, world, 'usage', token);
  await page.getByText('Left£20.00').waitFor();
  t.equal(await page.getByText('Budget of a month£5.00').count(), 1);
  t.equal(await page.getByRole('progressbar').getAttribute('aria-valuenow'), '0');
  t.equal(await page.getByText(/^Ends on \(UTC\)\d{4}-\d\d-\d\d \(1 day left\)$/).count(), 1);
  t.equal(await page.getByText('Requests per minute6,000').count(), 1);
  t.equal(await page.getByText('Request bytes per minute256.0 MiB').count(), 1);
  await page.getByText('The key ends soon.').waitFor();
  await page.getByText('Lines of a batch50,000').waitFor();
  const prices = page.getByRole('region', { name: 'Table of prices' });
  t.strictSame(await prices.getByRole('columnheader').allTextContents(), [
    'Model',
    'Context',
    'Images',
    'Options',
    'Live',
    'Batch',
  ]);
  t.strictSame(await prices.getByRole('cell').allTextContents(), [
    'tiny (default)',
    '8,192',
    'yes',
    '130',
    '£0.0015',
    '£0.00075',
  ]);
  grantCredit(store, clock, 'own', -20n * UNITS);
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByText('There is no credit left').waitFor();
});

/** What is read of a response. */
interface Called {
  readonly id: string;
  readonly usage: { readonly input_tokens: number };
  readonly results_available: boolean;
}

/** Calls the API with a key, as a client beside the console does. */
function client({ url }: ConsoleWorld, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const call = async (path: string, body?: string) => {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body };
    return (await fetch(url + path, init)).json() as Promise<Called>;
  };
  const body = JSON.stringify({ state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } });
  return {
    /** Asks once; the input tokens of the response. */
    ask: async (): Promise<number> => (await call('/v1/decide', body)).usage.input_tokens,
    /** Has a batch answered; its input tokens. */
    batch: async (lines: number): Promise<number> => {
      const { id } = await call('/v1/batches', batchFile(lines));
      await until(async () => (await call(`/v1/batches/${id}`)).results_available);
      const results = await fetch(`${url}/v1/batches/${id}/results`, { headers });
      const used = (await results.text()).trim().split('\n');
      return used.reduce((sum, line) => sum + JSON.parse(line).usage.input_tokens, 0);
    },
  };
}

/** The rows of the table: its cells without commas. */
const tableOf = ({ page }: Tab) =>
  page
    .getByRole('region', { name: 'Table of usage by day' })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('td')].map((cell) => {
          // The digits that are left out.
          const exact = cell.querySelector('[title]')?.getAttribute('title');
          return `${exact ?? cell.textContent}`.replaceAll(',', '');
        }),
      ),
    );

/** A day of a month that has days of the same month before and after it. */
const MIDDLE = 10;

/** Moves the server's clock to noon in the middle of a month: no day and no month ends during a test. */
function toMiddleOfMonth({ clock }: ConsoleWorld): void {
  const now = new Date(clock.now());
  const month = now.getUTCMonth() + (now.getUTCDate() < MIDDLE ? 0 : 1);
  clock.advance(Date.UTC(now.getUTCFullYear(), month, MIDDLE, 12) - now.getTime());
}

consoleTest('usage by day adds up to what was asked, and follows its filters', async (t, tab, world) => {
  const { page } = tab;
  const { store, clock } = world;
  toMiddleOfMonth(world);
  createWorkspace(store, clock, 'by-day');
  grantCredit(store, clock, 'by-day', UNITS);
  const { token } = createKey(store, clock, 'by-day');
  const { ask, batch } = client(world, token);
  const live = [await ask(), await ask(), await ask()];
  clock.advance(DAY_MS);
  live.push(await ask());
  const batched = await batch(2);
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  await enter(tab, world, 'usage', token);
  const panel = page.getByRole('region', { name: 'Usage by day', exact: true });
  const status = panel.getByRole('status');
  const told = (requests: number, tokens: number) =>
    status.getByText(`: ${requests} requests, ${tokens.toLocaleString('en')} tokens, < £0.000001`).waitFor();
  await told(6, sum(live) + batched);
  t.strictSame(
    (await tableOf(tab)).map(([, model, kind, , requests, tokens]) => [model, kind, requests, tokens]),
    [
      ['tiny', 'live', '1', `${live[3]}`],
      ['tiny', 'batch', '2', `${batched}`],
      ['tiny', 'live', '3', `${sum(live.slice(0, 3))}`],
    ],
  );
  const days = (await tableOf(tab)).map(([day]) => day as string);
  t.equal(days[0], days[1]);
  t.equal(Date.parse(days[0] as string) - Date.parse(days[2] as string), DAY_MS);
  const charged = (await tableOf(tab)).map((cells) => Number(cells[3]?.replace('£', '')));
  const response = await fetch(`${world.url}/v1/limits`, { headers: { authorization: `Bearer ${token}` } });
  const { month } = (await response.json()) as { month: { charged: number } };
  t.equal(sum(charged).toFixed(12), month.charged.toFixed(12));
  const bars = panel.getByRole('img').locator('g');
  t.equal(await bars.count(), 30);
  const heights = (kind: string) =>
    bars
      .locator(`.kind-${kind}`)
      .evaluateAll((all) => all.filter((each) => Number(each.getAttribute('height')) > 0));
  t.strictSame([(await heights('live')).length, (await heights('batch')).length], [2, 1]);
  await panel.getByRole('group', { name: 'Kind' }).getByLabel('Batch').check();
  await told(2, batched);
  t.strictSame([(await heights('live')).length, (await heights('batch')).length], [0, 1]);
  await panel.getByRole('combobox', { name: 'Model' }).selectOption('tiny');
  await panel.getByRole('group', { name: 'Kind' }).getByLabel('All').check();
  await panel.getByRole('group', { name: 'Range' }).getByLabel('7 days').check();
  await told(6, sum(live) + batched);
  await until(async () => (await bars.count()) === 7);
  await ask();
  await page.getByRole('button', { name: 'Reload' }).click();
  await told(7, sum(live) + batched + (live[0] as number));
});

consoleTest(
  'a key without usage; a failed read says what to do, and is repeated',
  async (t, tab, world) => {
    const { page } = tab;
    const { token } = createKey(world.store, world.clock, 'default');
    await page.route('**/v1/usage*', (route) => route.abort());
    await enter(tab, world, 'usage', token);
    const alert = page.getByRole('alert');
    await alert.getByText('The server did not answer.').waitFor();
    t.match(await alert.textContent(), /Check that the server runs/);
    await page.unroute('**/v1/usage*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(/^Nothing was charged from [\d-]+ to [\d-]+\.$/).waitFor();
    t.equal(await alert.count(), 0);
    t.equal(await page.getByRole('img').count(), 0);
    t.strictSame(await violations(page), []);
  },
  { script: AXE },
);
