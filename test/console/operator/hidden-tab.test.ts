import { batchFile } from '../../support/console/batch-file.js';
import { requestsWithin, setVisible } from '../../support/console/open-tab.js';
import { enterOperator, operatorTest, show } from '../../support/console/operator.js';
import { consoleModule } from '../../support/console/run-hook.js';

const { VIEWS } = await consoleModule<{ readonly VIEWS: ReadonlyArray<readonly [string, string]> }>(
  'operator/operator-route.js',
);

const SECONDS = 30;
/** Requests of an open page in half a minute. The overview is read once a second, and the last hour once in that time. */
const REQUESTS_MAX = 7;
const REQUESTS_OF_OVERVIEW_MAX = 32;

operatorTest('an open page asks seldom, and not at all while its tab is hidden', async (t, tab, world) => {
  const { page } = tab;
  world.engine.hold();
  const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/jsonl' };
  await fetch(`${world.callers}/v1/batches`, { method: 'POST', headers, body: batchFile(3) });
  await page.clock.install();
  await enterOperator(tab, world);
  for (const [view] of VIEWS) {
    await show(tab, view);
    await requestsWithin(tab, 5);
    const asked = await requestsWithin(tab, SECONDS);
    const most = view === 'overview' ? REQUESTS_OF_OVERVIEW_MAX : REQUESTS_MAX;
    t.ok(asked.length <= most, `${view}: ${asked.length} requests in half a minute`);
    await setVisible(page, false);
    // A call may have been in progress.
    await requestsWithin(tab, 1);
    t.strictSame(await requestsWithin(tab, SECONDS), [], `${view}: hidden`);
    const again = view === 'batches' ? page.waitForResponse('**/api/batches*') : null;
    await setVisible(page, true);
    await again;
  }
});
