import { option, question } from '../../../src/console/ask/ask-draft.js';
import { FIRST_DRAFT } from '../../../src/console/ask/examples.js';
import { packDraft } from '../../../src/console/ask/share.js';
import { ask, consoleTest, enter, PHONE } from '../../support/console/console.js';
import { dropFiles } from '../../support/console/drop.js';
import { haveFocus } from '../../support/console/keyboard.js';
import { tasksOf } from '../../support/console/tasks.js';
import { png } from '../../support/images/png.js';
import { until } from '../../support/until.js';

consoleTest(
  'the page begins at its top, and what gets the focus is not under the bar',
  async (t, tab, world) => {
    const { page } = tab;
    await page.setViewportSize({ width: 1_280, height: 720 });
    await enter(tab, world);
    await page.reload();
    await page.getByRole('form', { name: 'Request' }).waitFor();
    t.equal(await page.evaluate('scrollY'), 0);
    const hidden: string[] = [];
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate<string>(`(() => {
      const active = document.activeElement;
      const bar = document.querySelector('.ask-bar');
      if (active === null || !active.closest('.ask-form') || bar.contains(active)) return '';
      const { bottom } = active.getBoundingClientRect();
      return bottom > bar.getBoundingClientRect().top + 1 ? active.tagName + ' ' + active.value : '';
    })()`);
      if (found !== '') hidden.push(found);
    }
    t.strictSame(hidden, []);
  },
);

consoleTest('Enter in a field asks nothing; Ctrl+Enter asks, in an editor too', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  const calls = () => tab.requests.filter((each) => each.endsWith('/v1/decide')).length;
  const pressEnterInEach = async (form: string) => {
    const fields = page.locator(`form[aria-label="${form}"]`).locator('input, select');
    const count = await fields.count();
    t.ok(count > 1, `${form} has ${count} fields`);
    for (let at = 0; at < count; at += 1) {
      await fields.nth(at).evaluate((field) => {
        (field as unknown as { focus(): void }).focus();
      });
      await page.keyboard.press('Enter');
    }
    await page.evaluate("fetch('/console').then(() => true)");
  };
  await pressEnterInEach('Request');
  t.equal(calls(), 0);
  const state = page.getByLabel('State, as text');
  await state.fill('One line');
  await state.press('Control+Enter');
  await page.getByText('Answered.').waitFor();
  t.equal(calls(), 1);
  t.equal(await state.textContent(), 'One line');
  await page.getByLabel('Instructions').first().press('Control+Enter');
  await until(async () => calls() === 2);
  await page.getByText('Answered.').waitFor();
  await tasksOf(world, world.token).put('enter');
  await page.goto(`${world.url}/console#/tasks/enter`);
  await page.getByRole('form', { name: 'State for the task' }).waitFor();
  await pressEnterInEach('State for the task');
  t.notOk(tab.requests.some((each) => each.endsWith('/v1/tasks/enter/decide')));
});

consoleTest('what is typed while images are decoded is kept, and so are two drops', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  await page.evaluate(`(() => {
    const decode = window.createImageBitmap.bind(window);
    const gate = new Promise((resolve) => { window.openGate = resolve; });
    // The first takes longest.
    const pause = (file) => new Promise((resolve) => setTimeout(resolve, file.name === 'one.png' ? 200 : 0));
    window.createImageBitmap = (file) => gate.then(() => pause(file)).then(() => decode(file));
  })()`);
  const images = page.getByRole('region', { name: 'Images' });
  const drop = (name: string) =>
    dropFiles(images.locator('.drop'), [{ name, type: 'image/png', bytes: png() }]);
  await drop('one.png');
  await drop('two.png');
  const state = page.getByLabel('State, as text');
  await state.fill('Typed meanwhile');
  await page.evaluate('window.openGate()');
  await images.getByText('Used 1 time.').nth(1).waitFor();
  t.match(await state.textContent(), /^Typed meanwhile\[one\.png\]\[two\.png\]$/);
});

for (const [size, context] of [
  ['wide', {}],
  ['phone', { viewport: PHONE }],
] as const) {
  consoleTest(
    `an error marks its field and moves the focus there: ${size}`,
    async (t, tab, world) => {
      const { page } = tab;
      await enter(tab, world);
      const asks = page.getByRole('button', { name: 'Ask', exact: true });
      const names = page.getByLabel('Name', { exact: true });
      await names.nth(1).fill('angry');
      await asks.click();
      await haveFocus(names.nth(1));
      t.equal(await names.nth(1).getAttribute('aria-invalid'), 'true');
      await page.locator('.question').getByText('Two questions are called "angry".').waitFor();
      await names.nth(1).fill('team');
      t.equal(await page.locator('[aria-invalid=true]').count(), 0, 'an edit removes the mark');
      // What only the server finds.
      await page.getByLabel('Label of option 2').fill('billing');
      await asks.click();
      const label = page.getByLabel('Label of option 1');
      await haveFocus(label);
      t.equal(await label.getAttribute('aria-invalid'), 'true');
      await page.getByLabel('Label of option 2').fill('technical');
      await page.getByRole('group', { name: 'Kind of state' }).getByLabel('JSON').check();
      await page.getByLabel('State, as JSON').fill('{"a": ');
      await asks.click();
      await page.locator('.editor.wrong').waitFor();
      t.equal(await page.getByLabel(/^State, as JSON\. Wrong: /).getAttribute('aria-invalid'), 'true');
      // It gets the focus after it is drawn.
      const focused = "document.activeElement?.shadowRoot?.activeElement?.matches('.cm-content') === true";
      await until(() => page.evaluate<boolean>(focused));
    },
    { context },
  );
}

consoleTest(
  'typing in a long state is not slowed by the program, and formatting cannot fail',
  async (t, tab, world) => {
    const { page } = tab;
    await enter(tab, world);
    const program = page.getByRole('region', { name: 'Program' });
    await program.getByText('curl').waitFor();
    const state = page.getByLabel('State, as text');
    await state.fill('x'.repeat(500));
    // The program follows in a pause: not in the task of a key.
    const during = await page.evaluate<string>(`(() => {
    const content = document.querySelector('.editor').shadowRoot.querySelector('.cm-content');
    content.focus();
    document.execCommand('insertText', false, 'a key ');
    return document.querySelector('[aria-label=Program]').textContent;
  })()`);
    t.notMatch(during, 'a key');
    await program.getByText('a key').waitFor();

    await page.getByRole('group', { name: 'Kind of state' }).getByLabel('JSON').check();
    const json = page.getByLabel('State, as JSON');
    await json.fill(`{"a": "${'x'.repeat(210_000)}"`);
    await page.getByText('more than 20,000 of 20,000').waitFor();
    await page.getByRole('button', { name: 'Format' }).click();
    await page.getByText(/^Not valid JSON: /).waitFor();
  },
);

consoleTest('texts from right to left, and names that are cut', async (t, tab, world) => {
  const { page } = tab;
  const long = `${'a long label '.repeat(30)}end`;
  const questions = [question('שלום', 'choice', 'مرحبا', [option(long), option('b')])];
  await enter(tab, world, `ask?r=${await packDraft({ ...FIRST_DRAFT, state: 'שלום עולם', questions })}`);
  await page.getByLabel('State, as text').getByText('שלום עולם').waitFor();
  const directions = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.question input, .question textarea')].map((each) => each.dir)`,
  );
  t.ok(directions.length > 3 && directions.every((each) => each === 'auto'));
  t.equal(await page.getByLabel('State, as text').getAttribute('dir'), 'auto');
  await ask(tab);
  const name = page.locator('.meter .name').first();
  const heights = () =>
    page.evaluate<number[]>(`(() => {
      const { clientHeight, scrollHeight } = document.querySelector('.meter .name');
      return [clientHeight, scrollHeight];
    })()`);
  const [cut = 0, whole = 0] = await heights();
  t.ok(cut < whole, 'a long name is cut');
  await name.focus();
  const [shown = 0, all = 0] = await heights();
  t.ok(shown >= all, 'the focus shows all of it');
});
