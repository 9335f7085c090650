import { option, question } from '../../../src/console/ask/ask-draft.js';
import { FIRST_DRAFT } from '../../../src/console/ask/examples.js';
import { packDraft } from '../../../src/console/ask/share.js';
import { createKey } from '../access/folder-changes.js';
import { png } from '../images/png.js';
import { batchFile, chooseBatch } from './batch-file.js';
import { ask, type ConsoleWorld, enter, type Tab } from './console.js';
import { dropFiles } from './drop.js';
import { fittedTask, HOSTILE_TASK, ownKey, tasksOf } from './tasks.js';
import { usedKey } from './usage.js';

type Open = (tab: Tab, world: ConsoleWorld) => Promise<unknown>;

const submit: Open = async (tab, world) => {
  // A key of its own: the same file of one key is one batch.
  const { token } = createKey(world.store, world.clock, 'default');
  await enter(tab, world, 'batches', token);
  await chooseBatch(tab.page, batchFile(60));
  await tab.page.getByRole('button', { name: 'Submit 60 lines' }).click();
};

/** Every view of the console in each of its states, and how a visitor comes there. */
export const VIEWS: Readonly<Record<string, Open>> = {
  key: async ({ page }, { url }) => {
    await page.goto(`${url}/console`);
    await page.getByRole('heading', { name: 'Enter a key' }).waitFor();
  },
  'key-refused': async ({ page }, { url }) => {
    await page.goto(`${url}/console`);
    await page.getByText('Where do I get a key?').click();
    await page.getByLabel('Key', { exact: true }).fill(`dk_${'a'.repeat(40)}`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
  },
  ask: (tab, world) => enter(tab, world),
  answers: async (tab, world) => {
    await enter(tab, world);
    await ask(tab);
  },
  spread: async (tab, world) => {
    await enter(tab, world);
    await tab.page.getByRole('button', { name: 'Ask 20 times' }).click();
    await tab.page.getByText('No spread:').waitFor();
  },
  images: async (tab, world) => {
    await enter(tab, world);
    const file = { name: 'photo.png', type: 'image/png', bytes: png() };
    await dropFiles(tab.page.getByRole('region', { name: 'Images' }).locator('.drop'), [file]);
    await tab.page.getByText('Used 1 time.').waitFor();
  },
  json: async (tab, world) => {
    await enter(tab, world);
    await tab.page.getByRole('button', { name: 'Order as JSON' }).click();
    await tab.page.getByRole('group', { name: 'Kind of editor' }).getByLabel('JSON').check();
    await tab.page.getByLabel('Questions, as JSON').waitFor();
  },
  'too-long': async (tab, world) => {
    const lines = Array.from({ length: 1_200 }, (_, at) => `Line ${at + 1} of a long message.`);
    await enter(tab, world, `ask?r=${await packDraft({ ...FIRST_DRAFT, state: lines.join('\n') })}`);
    await tab.page.getByText('the model does not read the rest').waitFor();
  },
  'largest-request': async (tab, world) => {
    const options = Array.from({ length: 26 }, (_, at) => option(`label ${at + 1}`));
    const questions = Array.from({ length: 16 }, (_, at) =>
      question(`q${at + 1}`, 'choice', 'Which?', options),
    );
    await enter(tab, world, `ask?r=${await packDraft({ ...FIRST_DRAFT, questions })}`);
    await tab.page.getByText('16 of 16').waitFor();
    await ask(tab);
  },
  'ask-refused': async (tab, world) => {
    await enter(tab, world);
    await tab.page.getByLabel('Name', { exact: true }).nth(1).fill('angry');
    await tab.page.getByRole('button', { name: 'Ask', exact: true }).click();
    await tab.page.getByRole('alert').waitFor();
  },
  'no-tasks': async (tab, world) => {
    await enter(tab, world, 'tasks', ownKey(world));
    await tab.page.getByText('A task is a named set of questions').waitFor();
  },
  'task-fitted': async (tab, world) => {
    const token = ownKey(world);
    await fittedTask(world, token, 'support-mail', 60);
    await tasksOf(world, token).put('other');
    await enter(tab, world, 'tasks/support-mail', token);
    await tab.page.getByRole('img', { name: /^Reliability/ }).waitFor();
  },
  'task-hostile': async (tab, world) => {
    const token = ownKey(world);
    await tasksOf(world, token).put('x'.repeat(64), HOSTILE_TASK);
    await enter(tab, world, `tasks/${'x'.repeat(64)}`, token);
    await tab.page.getByRole('heading', { name: 'Settings' }).waitFor();
  },
  'no-batches': async (tab, world) => {
    const { token } = createKey(world.store, world.clock, 'default');
    await enter(tab, world, 'batches', token);
    await tab.page.getByText('No batches yet.').waitFor();
  },
  'invalid-lines': async (tab, world) => {
    await enter(tab, world, 'batches');
    await chooseBatch(tab.page, `${batchFile(2)}\nnonsense\n{"custom_id":"a b"}`);
    await tab.page.getByText('2 lines are invalid').waitFor();
  },
  'batch-running': async (tab, world) => {
    world.engine.hold();
    await submit(tab, world);
    await tab.page.locator('.badge.running').last().waitFor();
  },
  results: async (tab, world) => {
    await submit(tab, world);
    await tab.page.getByRole('button', { name: 'Show the results' }).click();
    await tab.page.getByText('Page 1 of 2').waitFor();
  },
  usage: async (tab, world) => {
    await enter(tab, world, 'usage', await usedKey(world));
    await tab.page.getByRole('img', { name: /^Charges by day/ }).waitFor();
  },
};
