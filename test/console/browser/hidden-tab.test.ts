import { createKey } from '../../support/access/folder-changes.js';
import { batchFile } from '../../support/console/batch-file.js';
import { consoleTest, enter } from '../../support/console/console.js';
import { requestsWithin, setVisible } from '../../support/console/open-tab.js';
import { consoleModule } from '../../support/console/run-hook.js';

const { VIEWS } = await consoleModule<{ readonly VIEWS: ReadonlyArray<readonly [string, string]> }>(
  'route.js',
);

const SECONDS = 30;
/** Requests of an open page in half a minute, while its batch does not change: every 15 seconds the batch and the list. */
const REQUESTS_MAX = 6;

consoleTest('an open page asks seldom, and not at all while its tab is hidden', async (t, tab, world) => {
  const { page } = tab;
  const { token } = createKey(world.store, world.clock, 'default');
  await page.clock.install();
  world.engine.hold();
  await enter(tab, world, 'ask', token);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/jsonl' };
  const submitted = await fetch(`${world.url}/v1/batches`, { method: 'POST', headers, body: batchFile(3) });
  const { id } = (await submitted.json()) as { id: string };
  const addresses = [...VIEWS.map(([view]) => view), `batches/${id}`];
  for (const address of addresses) {
    await page.evaluate(`location.hash = '/${address}'`);
    if (address.startsWith('batches/')) await page.getByText('3 pending').waitFor();
    await requestsWithin(tab, SECONDS);
    const asked = await requestsWithin(tab, SECONDS);
    t.ok(asked.length <= REQUESTS_MAX, `${address}: ${asked.length} requests in half a minute`);
    await setVisible(page, false);
    // A call may have been in progress.
    await requestsWithin(tab, 1);
    t.strictSame(await requestsWithin(tab, SECONDS), [], `${address}: hidden`);
    const again = address.startsWith('batches/') ? page.waitForResponse(`**/v1/batches/${id}`) : null;
    await setVisible(page, true);
    await again;
  }
});
