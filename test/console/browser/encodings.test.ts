import { consoleTest, enter } from '../../support/console/console.js';
import { ownKey, QUESTIONS, tasksOf } from '../../support/console/tasks.js';

const WRONG = 'The file is not UTF-8 text: save it as UTF-8.';

/** Texts as spreadsheets save them: in a code page of Windows, and in UTF-16. */
const FILES = [
  Buffer.from('{"na\u00efve": {"q": {"type": "noul"}}}\n', 'latin1'),
  Buffer.from('\ufeff{"id": "1"}\n', 'utf16le'),
];

/** Every button of the console for a file of text, by its view. */
const BUTTONS = [
  ['ask', 'Import a file'],
  ['tasks/mail', 'Choose a file of labels'],
  ['batches', 'Choose a file'],
  ['batches', 'Choose a table'],
] as const;

consoleTest('a file that is not UTF-8 is refused in plain words', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  await tasksOf(world, token).put('mail', { questions: QUESTIONS });
  await enter(tab, world, 'ask', token);
  await page.getByText('Saved questions (0)').click();
  for (const [view, name] of BUTTONS) {
    await page.evaluate(`location.hash = '/${view}'`);
    if (name === 'Choose a table') await page.getByText('Make a batch from a table').click();
    const button = page.getByRole('button', { name, exact: true });
    await button.waitFor();
    const said = page.getByText(WRONG).filter({ visible: true });
    for (const [at, buffer] of FILES.entries()) {
      const chooser = page.waitForEvent('filechooser');
      await button.click();
      await (await chooser).setFiles({ name: `file-${at}.txt`, mimeType: '', buffer });
      await said.last().waitFor();
    }
    t.pass(`${view}: ${name}`);
  }
  await page.evaluate("location.hash = '/ask'");
  await page.getByText('Saved questions (0)').waitFor();
});

consoleTest('a page in place of a response is no response', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  await tasksOf(world, token).put('mail', { questions: QUESTIONS });
  await enter(tab, world, 'usage', token);
  await page.route('**/v1/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<p>Sign in</p>' }),
  );
  for (const view of ['ask', 'tasks', 'tasks/mail', 'batches', 'batches/batch_x']) {
    await page.evaluate(`location.hash = '/${view}'`);
    if (view === 'ask') {
      await page.getByLabel('Name of the task').fill('mail');
      await page.getByLabel('Name of the task').press('Enter');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
    }
    const alerts = page.getByRole('alert').filter({ visible: true });
    await alerts.nth(view === 'tasks' || view === 'batches' ? 0 : 1).waitFor();
    for (const text of await alerts.allTextContents()) t.match(text, 'The server did not answer.', view);
  }
});
