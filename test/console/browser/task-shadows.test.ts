import { consoleTest, enter } from '../../support/console/console.js';
import { ownKey, QUESTIONS, tasksOf } from '../../support/console/tasks.js';
import { until } from '../../support/until.js';

const NOTHING_COUNTED = {
  answers: 0,
  agreement: null,
  mean_difference: null,
  largest_difference: null,
  accept_changed: null,
  newly_accepted: 0,
  no_longer_accepted: 0,
  labels: 0,
  live_accuracy: null,
  shadow_accuracy: null,
  accuracy_difference: null,
};

consoleTest('a shadow build, and changes that keep it', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  const tasks = tasksOf(world, token);
  const shadow = { model: 'tiny', share: 1 };
  t.match(await tasks.put('mail', { questions: QUESTIONS, shadow }), { shadow });
  // The server has one build: what it would count of another one is put into its answer.
  const estimate = { value: 0.9, ci: [0.8, 0.95] };
  const counted = { ...NOTHING_COUNTED, answers: 40, agreement: estimate, mean_difference: 0.0123 };
  await page.route('**/v1/tasks/mail', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    const json = await response.json();
    await route.fulfill({
      response,
      json: { ...json, shadow: { ...json.shadow, questions: { angry: counted } } },
    });
  });
  await enter(tab, world, 'tasks/mail', token);
  const panel = page.getByRole('region', { name: 'Shadow build' });
  await panel.getByText('Share of the requests100.0 %', { exact: true }).waitFor();
  await panel.getByText('90.0 % agree').waitFor();
  const shown = await panel.textContent();
  t.match(shown, /both answered40Agreement90\.0 % \(80\.0 to 95\.0 %\).*probabilities0\.0123/);
  t.notMatch(shown, /Accuracy|would change/, 'what is not known is left out');
  const form = page.getByRole('form', { name: 'Settings' });
  await form.getByLabel('Confidence').fill('0.9');
  await form.getByRole('button').click();
  await form.getByText('The settings are saved.').waitFor();
  t.match(await tasks.show('mail'), { confidence: 0.9, shadow });
  await page.getByRole('button', { name: 'Edit the questions in Ask' }).click();
  await page.getByLabel('Name', { exact: true }).first().fill('furious');
  await page.getByRole('button', { name: 'Save as a task' }).click();
  await page.getByRole('button', { name: 'Change the task' }).click();
  await page.getByText('Saved as version 2.').waitFor();
  t.match(await tasks.show('mail'), { version: 2, shadow });
});

consoleTest('a shadow build is begun, changed and ended', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  const tasks = tasksOf(world, token);
  const model = 'tiny';
  await tasks.put('mail', { questions: QUESTIONS, model });
  await enter(tab, world, 'tasks/mail', token);
  const panel = page.getByRole('region', { name: 'Shadow build' });
  await panel.getByText('Try another build on real requests').waitFor();
  const form = panel.getByRole('form', { name: 'Shadow build' });
  const [choice, share, button] = [
    form.getByLabel('Model'),
    form.getByLabel('Share'),
    form.getByRole('button'),
  ];
  const isOff = async () => (await button.getAttribute('aria-disabled')) === 'true';
  t.ok(await isOff());
  t.equal(await share.count(), 0, 'without a model, there is no share');
  await choice.selectOption(model);
  await form.getByText('10.0 % of the requests are also run on it.').waitFor();
  for (const wrong of ['0', '1.001', '', 'x']) {
    await share.fill(wrong);
    await form.getByText('Enter a number above 0 and at most 1.').waitFor();
    t.ok(await isOff(), wrong);
  }
  await share.fill('0.25');
  // Somebody else changes the task meanwhile.
  await tasks.put('mail', { questions: QUESTIONS, model, description: 'theirs' });
  await button.click();
  await form.getByText('The shadow build is saved.').waitFor();
  const kept = { version: 1, model, description: 'theirs' };
  t.match(await tasks.show('mail'), { ...kept, shadow: { model, share: 0.25 } });
  await panel.getByText('Counted sincenothing is counted yet').waitFor();

  await share.fill('0.5');
  await tasks.put('mail', { questions: QUESTIONS, ...kept, shadow: { model, share: 0.75 } });
  await page.getByRole('button', { name: 'Reload' }).last().click();
  await form.getByText('Changed meanwhile: it is 0.75 now. Saving replaces it.').waitFor();
  await share.fill('1');
  await button.click();
  await panel.getByText('Share of the requests100.0 %', { exact: true }).waitFor();
  t.match(await tasks.show('mail'), { ...kept, shadow: { model, share: 1 } });

  await choice.selectOption('none');
  await form.getByText('What was counted of tiny is deleted.').waitFor();
  await button.click();
  await form.getByText('The shadow build was ended.').waitFor();
  await panel.getByText('Try another build on real requests').waitFor();
  t.match(await tasks.show('mail'), { ...kept, shadow: null });
});

consoleTest('a shadow build is promoted as it was seen', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  const tasks = tasksOf(world, token);
  const shadow = { model: 'tiny', share: 1 };
  const { shadow: asked } = await tasks.put('mail', { questions: QUESTIONS, shadow });
  const build = asked.builds.shadow;
  let since: string | null = null;
  await page.route('**/v1/tasks/mail', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    const json = await response.json();
    const counted = json.shadow && { ...json.shadow, since };
    await route.fulfill({ response, json: { ...json, shadow: counted } });
  });
  await enter(tab, world, 'tasks/mail', token);
  const panel = page.getByRole('region', { name: 'Shadow build' });
  const promote = panel.getByRole('button', { name: 'Promote the shadow build' });
  await promote.waitFor();
  t.equal(await promote.getAttribute('aria-disabled'), 'true', 'nothing is counted yet');
  since = new Date().toISOString();
  await page.getByRole('button', { name: 'Reload' }).last().click();
  await panel.locator('button[aria-disabled="false"]', { hasText: 'Promote' }).click();
  const dialog = page.getByRole('dialog', { name: `Make ${build} the model of the task?` });
  await dialog.getByText('as version 2 of the task').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await promote.click();
  await dialog.getByRole('button', { name: 'Promote it' }).click();
  // The server has counted nothing.
  await panel.getByRole('alert').getByText('shadow_changed').waitFor();
  t.match(await tasks.show('mail'), { version: 1, shadow });

  // A server that has one build compares nothing: another program makes what a promotion makes.
  let sent: unknown;
  await page.route('**/v1/tasks/mail/promote', async (route) => {
    sent = route.request().postDataJSON();
    await route.fulfill({ json: await tasks.put('mail', { questions: QUESTIONS, model: build }) });
  });
  await panel.getByLabel('Share').fill('0.5');
  await panel.getByRole('button', { name: 'Save the shadow build' }).click();
  const said = panel.getByText('The shadow build is saved.');
  await said.waitFor();
  await page.getByRole('button', { name: 'Reload' }).last().click();
  await panel.locator('button[aria-disabled="false"]', { hasText: 'Promote' }).click();
  await dialog.getByRole('button', { name: 'Promote it' }).click();
  await panel.getByText(`${build} was made the model of the task.`).waitFor();
  t.strictSame(sent, { version: 1, model: build });
  await panel.getByText('Try another build on real requests').waitFor();
  t.equal(await promote.count(), 0);
  t.equal(await said.count(), 0, 'it was said of the version before');
});

consoleTest('changes of the same task at the same time do not revert each other', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  const tasks = tasksOf(world, token);
  await tasks.put('mail', { questions: QUESTIONS });
  await enter(tab, world, 'tasks/mail', token);
  let send = () => {};
  const gate = new Promise<void>((resolve) => {
    send = resolve;
  });
  const sent: string[] = [];
  await page.route('**/v1/tasks/mail', async (route) => {
    const method = route.request().method();
    sent.push(method);
    // What was read before it is as old as the first change.
    if (method === 'PUT') await gate;
    await route.fallback();
  });
  const settings = page.getByRole('form', { name: 'Settings' });
  await settings.getByLabel('Description').fill('mine');
  await settings.getByRole('button').click();
  await until(() => sent.includes('PUT'));
  const form = page.getByRole('form', { name: 'Shadow build' });
  await form.getByLabel('Model').selectOption('tiny');
  await form.getByRole('button').click();
  await form.locator('button[aria-disabled="true"]').waitFor();
  t.strictSame(sent, ['GET', 'PUT'], 'the second change waits for the first one');
  send();
  await settings.getByText('The settings are saved.').waitFor();
  await form.getByText('The shadow build is saved.').waitFor();
  const shadow = { model: 'tiny', share: 0.1 };
  t.match(await tasks.show('mail'), { description: 'mine', shadow });

  // The form of Ask sends the whole task, too.
  await page.unrouteAll();
  let sendNext = () => {};
  const next = new Promise<void>((resolve) => {
    sendNext = resolve;
  });
  sent.length = 0;
  await page.route('**/v1/tasks/mail', async (route) => {
    const method = route.request().method();
    sent.push(method);
    if (method === 'PUT') await next;
    await route.fallback();
  });
  await settings.getByLabel('Description').fill('mine again');
  await settings.getByRole('button').click();
  await until(() => sent.includes('PUT'));
  await page.getByRole('button', { name: 'Edit the questions in Ask' }).click();
  const save = page.getByRole('button', { name: 'Save as a task' });
  await save.click();
  await save.and(page.locator('[aria-disabled="true"]')).waitFor();
  t.strictSame(sent, ['GET', 'PUT']);
  sendNext();
  await page.getByText('Nothing has changed: version 1 has these questions.').waitFor();
  t.match(await tasks.show('mail'), { description: 'mine again', shadow });
});

consoleTest('what others have changed meanwhile is not overwritten without a word', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  const tasks = tasksOf(world, token);
  const shadow = { model: 'tiny', share: 0.1 };
  const { shadow: asked } = await tasks.put('mail', { questions: QUESTIONS, shadow });
  await enter(tab, world, 'tasks/mail', token);
  const panel = page.getByRole('region', { name: 'Shadow build' });
  const form = panel.getByRole('form', { name: 'Shadow build' });
  const changed = form.getByRole('alert').getByText('mail has been changed meanwhile.');
  // The user ends a shadow that is another one by now.
  await form.getByLabel('Model').selectOption('none');
  const theirs = { model: asked.builds.shadow, share: 0.9 };
  await tasks.put('mail', { questions: QUESTIONS, shadow: theirs });
  await form.getByRole('button').click();
  await changed.waitFor();
  t.match(await tasks.show('mail'), { shadow: theirs });
  await form.getByText(`Changed meanwhile: it is ${theirs.model} now. Saving replaces it.`).waitFor();
  await form.getByRole('button').click();
  await form.getByText('The shadow build was ended.').waitFor();

  await tasks.put('mail', { questions: QUESTIONS, shadow });
  await page.getByRole('button', { name: 'Reload' }).last().click();
  await form.getByLabel('Share').fill('0.5');
  // There is no shadow any more that could have this share.
  await tasks.put('mail', { questions: QUESTIONS, description: 'theirs' });
  await form.getByRole('button').click();
  await changed.waitFor();
  await panel.getByText('Try another build on real requests').waitFor();
  t.equal(await form.getByText('is saved').count(), 0);
  t.match(await tasks.show('mail'), { description: 'theirs', shadow: null });

  // The refusal stays when the version that was its reason has been read.
  await form.getByLabel('Model').selectOption('tiny');
  await form.getByRole('button').click();
  await form.getByText('The shadow build is saved.').waitFor();
  await form.getByLabel('Share').fill('0.6');
  await tasks.put('mail', { questions: { angry: QUESTIONS.angry } });
  await form.getByRole('button').click();
  await page.getByText('Try another build on real requests').waitFor();
  t.ok(await changed.isVisible());
  await tasks.put('mail', { questions: QUESTIONS });

  const settings = page.getByRole('form', { name: 'Settings' });
  await settings.getByLabel('Description').fill('mine');
  await tasks.put('mail', { questions: QUESTIONS, description: 'newer', confidence: 0.9 });
  await settings.getByRole('button').click();
  await settings.getByRole('alert').getByText('mail has been changed meanwhile.').waitFor();
  await settings.getByText('Changed meanwhile: it is newer now. Saving replaces it.').waitFor();
  t.equal(await settings.getByLabel('Description').inputValue(), 'mine');
  await settings.getByRole('button').click();
  await settings.getByText('The settings are saved.').waitFor();
  t.match(await tasks.show('mail'), { description: 'mine', confidence: 0.9 });
});

consoleTest('a change that ends after its task was opened again is shown', async (t, tab, world) => {
  const { page } = tab;
  const token = ownKey(world);
  const tasks = tasksOf(world, token);
  const model = 'tiny';
  await tasks.put('mail', { questions: QUESTIONS, shadow: { model, share: 0.2 } });
  await tasks.put('other');
  await enter(tab, world, 'tasks/mail', token);
  const panel = page.getByRole('region', { name: 'Shadow build' });
  const form = panel.getByRole('form', { name: 'Shadow build' });
  const share = form.getByLabel('Share');
  await share.fill('0.5');
  let send = () => {};
  const gate = new Promise<void>((resolve) => {
    send = resolve;
  });
  let isSent = false;
  await page.route('**/v1/tasks/mail', async (route) => {
    if (route.request().method() === 'PUT') {
      isSent = true;
      await gate;
    }
    await route.fallback();
  });
  await form.getByRole('button').click();
  await until(() => isSent);
  await page.getByRole('link', { name: 'other' }).click();
  await page.getByRole('heading', { name: 'other' }).waitFor();
  await page.getByRole('link', { name: 'mail' }).click();
  await panel.getByText('Share of the requests20.0 %', { exact: true }).waitFor();
  t.equal(await share.inputValue(), '0.5', 'it is not saved yet');
  send();
  await panel.getByText('Share of the requests50.0 %', { exact: true }).waitFor();
  await form.getByText('50.0 % of the requests are also run on it.').waitFor();
  t.equal(await form.getByText('Changed meanwhile').count(), 0, 'it is what was entered');

  await share.fill('0.7');
  await tasks.put('mail');
  await page.getByRole('button', { name: 'Reload' }).last().click();
  await form.getByText('No other build is tried.').waitFor();
  await form.getByLabel('Model').selectOption(model);
  await form.getByText('70.0 % of the requests are also run on it.').waitFor();
});
