import { enterOperator, operatorTest } from '../../support/console/operator.js';

operatorTest('a held Enter makes one key', async (t, tab, world) => {
  const { page } = tab;
  await enterOperator(tab, world, 'keys');
  let made = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST') made += 1;
  });
  await page.getByLabel('Workspace of the key').fill('default');
  await page.getByRole('textbox', { name: 'Lifetime' }).focus();
  await page.keyboard.down('Enter');
  await page.getByText('it cannot be shown again').waitFor();
  // The focus has gone to the token; on a slow machine, the repeats come before that.
  await page.getByRole('textbox', { name: 'Lifetime' }).focus();
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await page.getByRole('button', { name: 'I have stored the token' }).click();
  await page.getByRole('button', { name: 'Create the key' }).focus();
  t.equal(made, 1);
});
