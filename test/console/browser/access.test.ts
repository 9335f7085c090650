import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FIRST_DRAFT } from '../../../src/console/ask/examples.js';
import { packDraft } from '../../../src/console/ask/share.js';
import { createKey, revokeKey } from '../../support/access/folder-changes.js';
import { batchFile, chooseBatch } from '../../support/console/batch-file.js';
import { ask, type ConsoleWorld, consoleTest, enter } from '../../support/console/console.js';

const DAY_MS = 86_400_000;

consoleTest('a wrong key is refused and not kept', async (t, tab, { url, token }) => {
  const { page } = tab;
  await page.goto(`${url}/console`);
  await page.getByLabel('Key', { exact: true }).fill('dk_short');
  await page.getByText('A key is dk_ and 40 letters and digits.').waitFor();
  await page.getByLabel('Key', { exact: true }).fill(`dk_${'a'.repeat(40)}`);
  await page.keyboard.press('Enter');
  const alert = page.getByRole('alert');
  await alert.getByText('unauthorized').waitFor();
  t.match(await alert.textContent(), /Enter another key.*status 401 · req_/);
  t.equal(await page.evaluate('sessionStorage.length'), 0);
  await page.getByLabel('Key', { exact: true }).fill(` ${token} `);
  await page.keyboard.press('Enter');
  await page.getByRole('form', { name: 'Request' }).waitFor();
  t.notMatch(page.url(), token);
  t.equal(await page.evaluate('localStorage.length'), 0);
  t.equal(await page.evaluate('document.cookie'), '');
  await page.reload();
  await page.getByRole('form', { name: 'Request' }).waitFor();
});

const ENDINGS: Record<string, (world: ConsoleWorld, id: string) => void> = {
  revoked: ({ store, clock }, id) => void revokeKey(store, clock, id),
  expired: ({ clock }) => clock.advance(2 * DAY_MS),
};

for (const [state, end] of Object.entries(ENDINGS)) {
  consoleTest(
    `a key that is ${state} meanwhile: another one goes on with the draft`,
    async (t, tab, world) => {
      const { page } = tab;
      const { key, token } = createKey(world.store, world.clock, 'default', world.clock.now() + DAY_MS);
      await enter(tab, world, 'ask', token);
      await page.getByLabel('State, as text').fill('A draft');
      end(world, key.id);
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByRole('heading', { name: 'Enter a key' }).waitFor();
      t.match(await page.getByRole('alert').textContent(), /Keys expire and can be revoked/);
      t.equal(await page.evaluate("sessionStorage.getItem('decider.key')"), null);
      await page.getByLabel('Key', { exact: true }).fill(world.token);
      await page.keyboard.press('Enter');
      await page.getByLabel('State, as text').getByText('A draft').waitFor();
      await ask(tab);
    },
  );
}

consoleTest('a batch file is checked anew for the key that follows a refused one', async (t, tab, world) => {
  const { page } = tab;
  const { key, token } = createKey(world.store, world.clock, 'default');
  await page.route('**/v1/limits', async (route) => {
    const response = await route.fetch();
    // A refusal names no key.
    const json = (await response.json()) as { key?: { id: string }; models: unknown[] };
    if (json.key?.id === key.id) json.models = [];
    await route.fulfill({ response, json });
  });
  await enter(tab, world, 'batches', token);
  await chooseBatch(page, batchFile(1));
  await page.getByText(/^1 line names a model that the limits of the key do not list/).waitFor();
  revokeKey(world.store, world.clock, key.id);
  await page.getByRole('button', { name: 'Submit 1 line' }).click();
  await page.getByLabel('Key', { exact: true }).fill(world.token);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Submit 1 line' }).waitFor();
  await page.getByText(/^Estimate: .*£/).waitFor();
  t.equal(await page.getByText(/do not list/).count(), 0);
  await page.unroute('**/v1/limits');
});

consoleTest('a key that is forgotten leaves no draft and no file for the next one', async (t, tab, world) => {
  const { page } = tab;
  const { token } = createKey(world.store, world.clock, 'default');
  await enter(tab, world, 'batches', token);
  await chooseBatch(page, batchFile(1));
  await page.getByRole('button', { name: 'Submit 1 line' }).waitFor();
  const shared = await packDraft({ ...FIRST_DRAFT, state: 'Only for this key' });
  await page.evaluate(`location.hash = '/ask?r=${shared}'`);
  await page.getByLabel('State, as text').getByText('Only for this key').waitFor();
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByRole('heading', { name: 'Enter a key' }).waitFor();
  t.equal(await page.evaluate('sessionStorage.length'), 0);
  await page.getByLabel('Key', { exact: true }).fill(world.token);
  await page.keyboard.press('Enter');
  await page.getByRole('form', { name: 'Request' }).waitFor();
  t.equal(await page.getByText('Only for this key').count(), 0);
  await page.goBack();
  t.notMatch(page.url(), shared, 'nor does the Back button bring it back');
  await page.getByRole('link', { name: 'Batches' }).click();
  await page.getByRole('heading', { name: 'Batches of this key' }).waitFor();
  t.equal(await page.getByText('lines.jsonl').count(), 0);
  t.notMatch(await page.evaluate('JSON.stringify({ ...sessionStorage })'), 'Only for this key');
});

consoleTest('a restart of the server in between', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  await page.getByLabel('State, as text').fill('A draft');
  await world.stop();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('The server did not answer.').waitFor();
  t.match(await alert.textContent(), /Check that the server runs/);
  await page.getByRole('link', { name: 'Batches' }).click();
  await alert.getByText('The server did not answer.').last().waitFor();
  await world.startAgain();
  const list = page.getByRole('heading', { name: 'Batches of this key' });
  // The console may have read the list again by itself; a click on the heading does nothing.
  await page.getByRole('button', { name: 'Try again' }).or(list).first().click();
  await list.waitFor();
  await page.getByRole('link', { name: 'Ask', exact: true }).click();
  await ask(tab);
  t.equal(await page.getByRole('alert').count(), 0);
  t.equal(await page.getByLabel('State, as text').textContent(), 'A draft');
});

consoleTest(
  'the console answers under the names of the server only',
  async (t, { page }, { url }) => {
    const { port } = new URL(url);
    const open = (host: string) => page.goto(`http://${host}:${port}/console`);
    t.equal((await open('localhost'))?.status(), 200);
    const refused = await open('rebound.example');
    t.equal(refused?.status(), 403);
    t.match(await refused?.text(), '"type":"host_not_allowed"');
  },
  { otherSites: true },
);

/** A page of another site that shows and loads everything of the server it can. */
const attack = (url: string, script: string) => `<!doctype html><title>other</title>
  <iframe src="${url}/console"></iframe><script src="${url}${script}" onload="ran = 'yes'" onerror="ran = 'no'"></script>
  <a href="${url}/console">console</a>`;

consoleTest(
  'another site can link to the console, and do nothing else',
  async (t, tab, { url, token }) => {
    const { page } = tab;
    await page.goto(`${url}/console`);
    const script = (await page.locator('script[src]').getAttribute('src')) as string;
    const server = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html').end(attack(url, `/${script}`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const statuses = new Map<string, number>();
    page.on('response', (response) => void statuses.set(new URL(response.url()).pathname, response.status()));
    for (const host of ['evil.example', '127.0.0.1']) {
      statuses.clear();
      await page.goto(`http://${host}:${port}/`);
      t.equal(statuses.get('/console'), 403, `${host}: framed`);
      t.equal(await page.evaluate('ran'), 'no', `${host}: loaded`);
      const call = `fetch('${url}/v1/limits', { headers: { authorization: 'Bearer ${token}' } })`;
      t.equal(
        await page.evaluate(`${call}.then(() => 'read', () => 'refused')`),
        'refused',
        `${host}: called`,
      );
      await page.getByRole('link', { name: 'console' }).click();
      await page.getByRole('heading', { name: 'Enter a key' }).waitFor();
    }
  },
  { otherSites: true },
);
