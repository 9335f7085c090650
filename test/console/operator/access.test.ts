import { enterOperator, operatorTest } from '../../support/console/operator.js';
import { OPERATOR_TOKEN } from '../../support/operator.js';

operatorTest('a wrong token is refused and not kept', async (t, { page }, { url, token }) => {
  await page.goto(url);
  const field = page.getByRole('textbox', { name: 'Operator’s token' });
  await field.fill('short');
  await page.getByText('The token is 32 to 256 printable characters without spaces.').waitFor();
  for (const wrong of [`op_${'a'.repeat(43)}`, token]) {
    await field.fill(wrong);
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.getByText('unauthorized').waitFor();
    t.match(await alert.textContent(), /operator\.token in the data folder.*status 401/);
    t.equal(await page.evaluate('sessionStorage.length'), 0);
  }
  await field.fill(` ${OPERATOR_TOKEN} `);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Server' }).waitFor();
  t.notMatch(page.url(), OPERATOR_TOKEN);
  t.equal(await page.evaluate('localStorage.length'), 0);
  t.equal(await page.evaluate('document.cookie'), '');
  await page.reload();
  await page.getByRole('heading', { name: 'Server' }).waitFor();
  await page.getByRole('button', { name: 'Forget the token' }).click();
  await field.waitFor();
  t.equal(await page.evaluate('sessionStorage.length'), 0);
});

operatorTest('a grant that ends after the token was forgotten keeps nothing', async (t, tab, world) => {
  const { page } = tab;
  await enterOperator(tab, world, 'workspaces/default');
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  await page.route('**/grants', async (route) => {
    await held;
    await route.abort();
  });
  await page.getByLabel('Amount in GBP').fill('5');
  await page.getByLabel('Reason').fill('Only for this token');
  const sent = page.waitForRequest('**/grants');
  await page.getByRole('button', { name: 'Grant credit' }).click();
  await sent;
  await page.getByRole('button', { name: 'Forget the token' }).click();
  await page.getByRole('textbox', { name: 'Operator’s token' }).waitFor();
  const failed = page.waitForEvent('requestfailed');
  end();
  await failed;
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
  t.equal(await page.evaluate('sessionStorage.length'), 0);
});

operatorTest(
  'the console answers under addresses and its own names only',
  async (t, { page }, { url }) => {
    const { port } = new URL(url);
    const open = (host: string) => page.goto(`http://${host}:${port}/`);
    t.equal((await open('localhost'))?.status(), 200);
    const refused = await open('rebound.example');
    t.equal(refused?.status(), 403);
    t.match(await refused?.text(), '"type":"host_not_allowed"');
  },
  { refused: true },
);

operatorTest('a server that does not answer, and answers again', async (t, tab, world) => {
  const { page } = tab;
  await enterOperator(tab, world, 'errors');
  await page.getByText('The server has logged no warnings and no errors since its start.').waitFor();
  await page.route('**/api/errors', (route) => route.abort());
  await page.getByRole('button', { name: 'Reload' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('The server did not answer.').waitFor();
  t.match(await alert.textContent(), /Check that the server runs.*unreachable/);
  await page.unroute('**/api/errors');
  await page.getByRole('button', { name: 'Reload' }).click();
  await alert.waitFor({ state: 'detached' });
});
