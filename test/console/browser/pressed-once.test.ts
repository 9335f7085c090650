import type { Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import { consoleTest, enter, type Tab } from '../../support/console/console.js';
import { chooseLabels, ownKey, QUESTIONS, tasksOf } from '../../support/console/tasks.js';

/** How often a held key is repeated; each time the answers are there again. */
const REPEATS = 3;

/** A double click whose second half comes when the first is answered. */
async function doubleClick(page: Page, target: Locator, answered: () => Promise<unknown>): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const { x, y } = (await target.boundingBox()) as { x: number; y: number };
  await page.mouse.move(x + 5, y + 5);
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    await answered();
  }
}

/** Holds Enter; each repeat comes when the one before is answered. */
async function hold(page: Page, answered: () => Promise<unknown>): Promise<void> {
  for (let pressed = 0; pressed <= REPEATS; pressed += 1) {
    await page.keyboard.down('Enter');
    await answered();
  }
  await page.keyboard.up('Enter');
}

/** Counts what a tab sends to an address. */
function countSent({ page }: Tab, path: string) {
  let sent = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && new URL(request.url()).pathname === path) sent += 1;
  });
  return (t: Test, times: number, what: string) => {
    t.equal(sent, times, what);
    sent = 0;
  };
}

consoleTest('Ask is pressed once by a held key and by a double click', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  const check = countSent(tab, '/v1/decide');
  const answered = () => page.getByText('Answered.').waitFor();
  const button = page.getByRole('button', { name: 'Ask', exact: true });
  await doubleClick(page, button, answered);
  check(t, 1, 'double click');
  await button.focus();
  await hold(page, answered);
  check(t, 1, 'Enter on the button');
  for (const field of [page.getByLabel('State, as text'), page.getByLabel('Name', { exact: true }).first()]) {
    await field.focus();
    await page.keyboard.down('Control');
    await hold(page, answered);
    await page.keyboard.up('Control');
    check(t, 1, 'Ctrl+Enter in a field');
  }
  const state = page.getByLabel('State, as text');
  await state.fill('');
  await state.focus();
  await hold(page, async () => {});
  t.equal(await state.locator('.cm-line').count(), REPEATS + 2, 'it writes lines');
});

consoleTest('a task is asked, and labels are sent, once', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  await tasksOf(world, token).put('mail', { questions: QUESTIONS });
  await enter(tab, world, 'tasks/mail', token);
  const asked = countSent(tab, '/v1/tasks/mail/decide');
  await page.getByLabel('State, as text').fill('My card was charged twice.');
  const button = page.getByRole('button', { name: 'Ask the task' });
  const answered = () => page.getByText('Answered.').waitFor();
  await doubleClick(page, button, answered);
  asked(t, 1, 'double click');
  await button.focus();
  await hold(page, answered);
  asked(t, 1, 'Enter on the button');

  const sent = countSent(tab, '/v1/tasks/mail/labels');
  const store = page.getByRole('button', { name: 'Store 1 label' });
  const refused = () => page.getByRole('alert').getByText('invalid').first().waitFor();
  await chooseLabels(page, '{"request_id": "req_unknown", "expected": {"other": true}}');
  await doubleClick(page, store, refused);
  sent(t, 1, 'double click');
  await store.focus();
  await hold(page, refused);
  sent(t, 1, 'Enter on the button');
});
