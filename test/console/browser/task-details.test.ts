import { AXE, violations } from '../../support/console/axe.js';
import { HOSTILE_LABEL, HOSTILE_NAME } from '../../support/console/batch-file.js';
import { consoleTest, enter, overflow, PHONE } from '../../support/console/console.js';
import { haveFocus } from '../../support/console/keyboard.js';
import { fittedTask, HOSTILE_TASK, ownKey, QUESTIONS, tasksOf } from '../../support/console/tasks.js';
import { until } from '../../support/until.js';

consoleTest('a task is asked; accept is said in words, and old answers are marked', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  const tasks = tasksOf(world, token);
  await fittedTask(world, token, 'mail');
  await enter(tab, world, 'tasks/mail', token);
  const panel = page.getByRole('region', { name: 'Ask the task' });
  const state = panel.getByLabel('State, as text');
  await state.fill('My card was charged twice!');
  await state.press('Control+Enter');
  await panel.getByText('Answered.').waitFor();
  t.match(await panel.locator('.accept').allTextContents(), [
    /^(Accepted: its|Not accepted: its) confidence/,
    'No threshold is in force for this question.',
    'No threshold is in force for this question.',
  ]);
  await panel.getByText('Version of the task1').waitFor();
  await page.getByRole('row', { name: /^mail Mail to support default 25 24 yes/ }).waitFor();
  await state.fill('Another text');
  await panel.getByText('The state or the task has been changed since').waitFor();
  await state.fill('My card was charged twice!');
  await panel.getByText('Answered.').waitFor();
  // Another program makes a further version.
  await tasks.put('mail', { questions: { angry: QUESTIONS.angry } });
  await page.getByRole('button', { name: 'Reload' }).last().click();
  await panel.getByText('The state or the task has been changed since').waitFor();
  await page.getByText('No fit is in force').waitFor();
  await page.reload();
  await state.getByText('My card was charged twice!').waitFor();
  t.notMatch(page.url(), 'charged', 'it is not in the address');
});

consoleTest(
  'only settings that were changed are sent, and questions keep their order',
  async (t, tab, world) => {
    const { page } = tab;
    const token = ownKey(world);
    const tasks = tasksOf(world, token);
    const questions = '{"10":{"type":"noul"},"9":{"type":"choice","criteria":{"2":"b","1":null}}}';
    await tasks.put('order', JSON.parse(`{"questions":${questions}}`));
    const body = `{"questions":${questions}}`;
    const put = (more = '') =>
      fetch(`${world.url}/v1/tasks/order`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: `${body.slice(0, -1)}${more}}`,
      });
    await put();
    const { version } = await tasks.show('order');
    await enter(tab, world, 'tasks/order', token);
    const names = page.locator('.task-questions strong');
    await names.nth(1).waitFor();
    t.strictSame(await names.allTextContents(), ['10', '9']);
    const form = page.getByRole('form', { name: 'Settings' });
    const target = form.getByLabel('Target error');
    await target.fill('2');
    await form.getByText('Enter a number from 0.001 to 0.5.').waitFor();
    t.equal(await target.getAttribute('aria-invalid'), 'true');
    await target.fill('0.2');
    await form.getByText('Another target needs a new fit').waitFor();
    // Somebody else changes the description, and the target too.
    await put(',"description":"theirs","target_error":0.3');
    await page.reload();
    t.equal(await target.inputValue(), '0.2', 'the edit outlives a reload');
    await form.getByText('Changed meanwhile: it is 0.3 now. Saving replaces it.').waitFor();
    await form.getByRole('button', { name: 'Save the settings' }).click();
    await form.getByText('The settings are saved.').waitFor();
    t.match(await tasks.show('order'), {
      version,
      description: 'theirs',
      target_error: 0.2,
      confidence: 0.95,
    });
    const description = form.getByLabel('Description');
    await description.fill('😀'.repeat(1_025));
    await form.getByText('1,025 of 1,024 characters.').waitFor();
    t.equal(await form.getByRole('button').getAttribute('aria-disabled'), 'true');
    await description.fill('😀'.repeat(1_024));
    await form.getByRole('button').click();
    await form.getByText('The settings are saved.').waitFor();
    t.equal((await tasks.show('order')).description, '😀'.repeat(1_024));
  },
);

consoleTest('a saved setting is shown before the task is read again', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  await tasksOf(world, token).put('mail');
  await enter(tab, world, 'tasks/mail', token);
  const form = page.getByRole('form', { name: 'Settings' });
  const target = form.getByLabel('Target error');
  await target.fill('0.2');
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let isSaved = false;
  await page.route('**/v1/tasks/mail', async (route) => {
    if (isSaved) await answered;
    else isSaved = route.request().method() === 'PUT';
    await route.fallback();
  });
  await form.getByRole('button').click();
  await form.getByText('The settings are saved.').waitFor();
  t.equal(await target.inputValue(), '0.2');
  await target.fill('0.3');
  const read = page.waitForResponse('**/v1/tasks/mail');
  answer();
  await read;
  await page.locator('.sourced.renewing').first().waitFor({ state: 'detached' });
  t.equal(await form.getByText('Changed meanwhile').count(), 0, 'it is the change of the same user');
  t.equal(await target.inputValue(), '0.3');
});

consoleTest(
  'what has drifted since the fit',
  async (t, tab, world) => {
    const { page } = tab;
    const token = ownKey(world);
    const tasks = tasksOf(world, token);
    await fittedTask(world, token, 'mail');
    await enter(tab, world, 'tasks/mail', token);
    const panel = page.getByRole('region', { name: 'Drift since the fit' });
    await panel.getByText('angry').click();
    await panel.getByText('Answers since the fit0').waitFor();
    await panel.getByText('No answers since the fit.').waitFor();
    t.equal(await panel.locator('summary').count(), 1, 'the other questions had too few labels');

    // An alarm takes hundreds of answers: it is put into the server's answer.
    const { drift } = await tasks.show('mail');
    const share = { stability_index: 0.25, unchanged: 0.01 };
    const angry = {
      ...drift.angry,
      answers: 500,
      window: 500,
      chosen: { ...share, labelled: [0.25, 0.75], window: [0.4, 0.6] },
      confidence: { ...share, labelled: Array(11).fill(1 / 11), window: Array(11).fill(1 / 11) },
      alarm: {
        after_answers: 500,
        compared_with: 'labelled',
        chosen: HOSTILE_LABEL,
        share_before: 0.25,
        share_now: 0.4,
      },
      errors: { labels: 20, wrong: 9, evidence: 31.2, alarm_at: 20, after_labels: 18 },
    };
    const warnings = [{ type: 'drift', question: 'angry', message: HOSTILE_NAME }];
    await page.route('**/v1/tasks/mail', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      await route.fulfill({ response, json: { ...json, drift: { ...json.drift, angry }, warnings } });
    });
    await page.getByRole('button', { name: 'Reload' }).last().click();
    await panel
      .getByText(`The option “${HOSTILE_LABEL}”: 40.0 % of the last answers, 25.0 % of the labelled`)
      .waitFor();
    t.match(
      await panel.textContent(),
      /0\.250 \(0\.010 without a change\).*20, 9 wrong.*alarm after 18 labels/,
    );
    const bars = panel.getByRole('figure').first().getByRole('listitem');
    t.strictSame(await bars.allTextContents(), ['Yes40.0 %labelled 25.0 %', 'No60.0 %labelled 75.0 %']);
    t.equal(await panel.getByRole('figure').last().getByRole('listitem').count(), 11);
    await page.getByRole('region', { name: 'mail', exact: true }).getByText(HOSTILE_NAME).waitFor();
    t.strictSame(
      await page.locator('main img[src]').evaluateAll((all) => all.map((each) => each.outerHTML)),
      [],
    );
    t.equal(await overflow(tab), 0);
    t.strictSame(await violations(page), []);
  },
  { script: AXE },
);

consoleTest('a task is deleted by its name; one that is gone says so', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  const tasks = tasksOf(world, token);
  await tasks.put('first');
  await tasks.put('second');
  await enter(tab, world, 'tasks/first', token);
  await page.getByRole('button', { name: 'Delete the task' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name of the task').fill('second');
  t.ok(await dialog.getByRole('button', { name: 'Delete it' }).isDisabled());
  await dialog.getByLabel('Name of the task').fill('first');
  await page.keyboard.press('Enter');
  await page.getByText('Choose a task to see').waitFor();
  await until(async () => (await page.getByRole('link', { name: 'first' }).count()) === 0);
  t.strictSame(
    (await tasks.list()).map(({ name }: { name: string }) => name),
    ['second'],
  );
  for (const name of ['first', '..', 'a%2Fb']) {
    await page.evaluate(`location.hash = '/tasks/${name}'`);
    await page.getByRole('alert').getByText('task_not_found').waitFor();
    await page.getByRole('link', { name: 'second' }).click();
    await haveFocus(page.getByRole('heading', { name: 'second' }));
  }
});

for (const [size, context] of [
  ['wide', {}],
  ['phone', { viewport: PHONE }],
] as const) {
  consoleTest(
    `hostile names of a task are text: ${size}`,
    async (t, tab, world) => {
      const { page } = tab;
      const token = ownKey(world);
      const tasks = tasksOf(world, token);
      const name = 'x'.repeat(64);
      t.match(await tasks.put(name, HOSTILE_TASK), { version: 1 });
      await enter(tab, world, `tasks/${name}`, token);
      const item = page.locator('.task-questions > li');
      await item.waitFor();
      t.equal(await item.locator('strong').textContent(), HOSTILE_NAME);
      t.equal(await item.locator('.labels li').first().textContent(), HOSTILE_LABEL);
      // In the list and beside the task, which are read by different calls.
      await page.getByText(HOSTILE_TASK.description).nth(1).waitFor({ state: 'attached' });
      await page.getByRole('region', { name: 'Ask the task' }).getByLabel('State, as text').fill('x');
      await page.getByRole('button', { name: 'Ask the task' }).click();
      await page.getByText('Answered.').waitFor();
      t.equal(await page.locator('main img').count(), 0);
      t.equal(await page.title(), 'Tasks · decider');
      t.equal(await overflow(tab), 0);
    },
    { context },
  );
}
