import { createKey } from '../../support/access/folder-changes.js';
import { batchFile, chooseBatch } from '../../support/console/batch-file.js';
import { consoleTest, enter, type Tab } from '../../support/console/console.js';

const HOUR_MS = 3_600_000;

/** Moves the time that the server tells, by so many hours. */
const serverLater = ({ page }: Tab, hours: () => number) =>
  page.route('**/v1/limits', async (route) => {
    const response = await route.fetch();
    const date = new Date(Date.now() + hours() * HOUR_MS).toUTCString();
    await route.fulfill({ response, headers: { ...response.headers(), date } });
  });

for (const wrong of [-12, 12]) {
  consoleTest(
    `the browser's clock is wrong by ${wrong} hours: a file makes one batch`,
    async (t, tab, world) => {
      const { page } = tab;
      let hours = 0;
      await serverLater(tab, () => hours);
      await page.clock.setFixedTime(Date.now() + wrong * HOUR_MS);
      const { token } = createKey(world.store, world.clock, 'default');
      await enter(tab, world, 'batches', token);
      let posts = 0;
      await page.route('**/v1/batches', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        posts += 1;
        // The batch is made, and its response is lost.
        await route.fetch();
        await route.abort();
      });
      await chooseBatch(page, batchFile(2));
      const submit = page.getByRole('button', { name: 'Submit 2 lines', exact: true });
      const again = page.getByRole('button', { name: 'Submit 2 lines again' });
      await submit.click();
      await page.getByText('The last submission of this file was interrupted.').waitFor();
      t.equal(posts, 1);
      // The clock is set right while the page stays open, and the server forgets the submission.
      hours = 30;
      await page.clock.setFixedTime(Date.now() + hours * HOUR_MS);
      await submit.click();
      await again.waitFor();
      t.equal(posts, 1, 'the console asks first');
    },
  );
}
