import { consoleTest, enter } from '../../support/console/console.js';
import { haveFocus } from '../../support/console/keyboard.js';
import {
  chooseLabels,
  EASY,
  fittedTask,
  labelLines,
  ownKey,
  QUESTIONS,
  tasksOf,
  WRONG_EVERY,
} from '../../support/console/tasks.js';

consoleTest('questions of Ask become a task, and further ones its next version', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  const tasks = tasksOf(world, token);
  await enter(tab, world, 'tasks', token);
  await page.getByText('A task is a named set of questions').waitFor();
  await page.getByRole('link', { name: 'Ask', exact: true }).first().click();
  const panel = page.getByRole('region', { name: 'Save as a task' });
  const name = panel.getByLabel('Name of the task');
  const save = panel.getByRole('button', { name: 'Save as a task' });
  await name.fill('support mail');
  t.equal(await name.getAttribute('aria-invalid'), 'true');
  await name.fill('support-mail');
  await name.press('Enter');
  await panel.getByText('Saved as version 1.').waitFor();
  t.match(await tasks.show('support-mail'), {
    version: 1,
    model: null,
    questions: { angry: { type: 'noul' } },
  });
  await save.click();
  await panel.getByText('Nothing has changed: version 1 has these questions.').waitFor();
  await page.getByRole('link', { name: 'Show the task support-mail' }).click();
  const title = page.getByRole('heading', { name: 'support-mail' });
  await haveFocus(title);
  await page.locator('.task-questions').getByText('Is the customer angry?').waitFor();

  // Another program gives it a description, which a further version keeps.
  const { questions } = await tasks.show('support-mail');
  await tasks.put('support-mail', { questions, description: 'Mail', target_error: 0.1 });
  await page.getByRole('button', { name: 'Edit the questions in Ask' }).click();
  await page.getByText('The questions of the task support-mail are loaded.').waitFor();
  t.equal(await name.inputValue(), 'support-mail');
  await page.getByLabel('Name', { exact: true }).first().fill('furious');
  await save.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('become version 2').waitFor();
  await page.keyboard.press('Escape');
  t.equal((await tasks.show('support-mail')).version, 1);
  await save.click();
  await dialog.getByText('become version 2').waitFor();
  // It changes while the question is open: it is asked again, and the other change stays.
  world.clock.advance(1);
  await tasks.put('support-mail', { questions, description: 'All mail', target_error: 0.1 });
  await dialog.getByRole('button', { name: 'Change the task' }).click();
  await dialog.getByText('The task was changed meanwhile').waitFor();
  t.equal((await tasks.show('support-mail')).version, 1);
  await dialog.getByRole('button', { name: 'Change the task' }).click();
  await panel.getByText('Saved as version 2.').waitFor();
  t.match(await tasks.show('support-mail'), {
    version: 2,
    description: 'All mail',
    target_error: 0.1,
    questions: { furious: { type: 'noul' } },
  });
  // The draft of the name outlives a reload.
  await page.reload();
  await name.waitFor();
  t.equal(await name.inputValue(), 'support-mail');
});

consoleTest('labels of a file, too few for a fit, then enough', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  const tasks = tasksOf(world, token);
  await tasks.put('mail', { questions: QUESTIONS, ...EASY });
  const answers = await tasks.answer('mail', 24);
  await enter(tab, world, 'tasks/mail', token);
  const labels = page.getByRole('region', { name: 'Labels' });
  await chooseLabels(page, 'nonsense\n{"request_id":"r"}');
  await labels.getByText('1 line is invalid').waitFor();
  t.equal(await labels.getByRole('button', { name: /^Store/ }).count(), 0);
  const unknown = `{"request_id":"req_${'x'.repeat(24)}","expected":{"angry":true}}`;
  await chooseLabels(page, `\n${labelLines(answers.slice(0, 1))}\n${unknown}\n`);
  await labels.getByRole('button', { name: 'Store 2 labels' }).click();
  await labels.getByText('invalid_labels').waitFor();
  const rows = labels.getByRole('region', { name: 'Invalid lines' }).locator('tbody tr');
  t.strictSame(await rows.locator('td').first().allTextContents(), ['3'], 'the number in the file');
  t.match(await rows.allTextContents(), [/answer_not_found/]);
  t.equal((await tasks.show('mail')).labels, 0);

  await chooseLabels(page, labelLines(answers.slice(0, 1)));
  await labels.getByRole('button', { name: 'Store 1 label' }).click();
  await labels.getByText('Stored: 1 of 1 line. The task has 1 labelled answer.').waitFor();
  const fit = page.getByRole('region', { name: 'Fit', exact: true });
  await fit.getByRole('button', { name: 'Fit to 1 label' }).click();
  const alert = fit.getByRole('alert');
  await alert.getByText(/^Too few labels: \d+ needed$/).waitFor();
  t.match(await alert.textContent(), /angry: 1 of \d+team: 0 of \d+urgency: 0 of \d+/);

  await chooseLabels(page, labelLines(answers, WRONG_EVERY));
  await labels.getByRole('button', { name: 'Store 24 labels' }).click();
  await fit.getByRole('button', { name: 'Fit to 24 labels' }).click();
  await fit.getByText('The fit is in force.').waitFor();
  t.equal(await alert.count(), 0);
  await fit.getByText('too few labels').first().waitFor();
  await page.getByRole('row', { name: /^mail default 24 24 yes/ }).waitFor();
  const { quality, threshold } = (await tasks.show('mail')).fit.questions.angry;
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`;
  const shown = (await fit.textContent()) ?? '';
  for (const value of [percent(quality.accuracy), percent(quality.ece), percent(threshold.coverage.value)]) {
    t.ok(shown.includes(value), value);
  }
  t.ok(shown.includes(threshold.threshold.toFixed(4)));
});

consoleTest(
  'the plots have axes, a table with the same numbers, and values at the pointer',
  async (t, tab, world) => {
    const { page } = tab;
    const token = ownKey(world);
    await fittedTask(world, token, 'mail');
    await enter(tab, world, 'tasks/mail', token);
    const { quality } = (await tasksOf(world, token).show('mail')).fit.questions.angry;
    const plots = page.getByRole('figure');
    await plots.nth(1).waitFor();
    t.equal(await plots.count(), 2);
    for (const [at, [name, points, words]] of [
      ['Reliability', quality.reliability, /^Confidence 0\.\d{4} to .* of \d+ labels? correct\.$/],
      ['Error by coverage', quality.coverage, /^Threshold \d\.\d{4}: accepts .* are wrong\.$/],
    ].entries() as ArrayIterator<[number, [string, unknown[], RegExp]]>) {
      const plot = plots.nth(at);
      const drawing = plot.getByRole('img', { name: new RegExp(`^${name}`) });
      t.equal(await drawing.locator('circle').count(), points.length, name);
      t.match((await drawing.locator('.axes text').allTextContents()).join(' '), /\(%\)/, 'units');
      await drawing.hover();
      t.match(await plot.locator('figcaption .muted').textContent(), words);
      const table = page.getByText(/^Numbers of the (reliability|coverage)$/).nth(at);
      await table.click();
      const rows = page.getByRole('region', { name: /^Table of the (reliability|coverage)/ }).nth(at);
      t.equal(await rows.locator('tbody tr').count(), points.length);
    }
    t.equal(await page.locator('.threshold').count(), 1, 'the threshold is marked');
  },
);
