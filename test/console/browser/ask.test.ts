import type { Page } from 'playwright-core';
import { type Draft, option, question } from '../../../src/console/ask/ask-draft.js';
import { FIRST_DRAFT } from '../../../src/console/ask/examples.js';
import { packDraft } from '../../../src/console/ask/share.js';
import {
  ask,
  type ConsoleWorld,
  consoleTest,
  enter,
  overflow,
  PHONE,
  type Tab,
} from '../../support/console/console.js';
import { dropFiles } from '../../support/console/drop.js';
import { focusOn, haveFocus } from '../../support/console/keyboard.js';
import { png } from '../../support/images/png.js';
import { until } from '../../support/until.js';

const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  '__proto__',
  'constructor',
  '\u202eevil \u05d0\u05d1\u05d2',
  '</script><script>document.title=1</script>',
  '10',
  '2',
  'n'.repeat(1_024),
];

const answerNames = (page: Page) => page.locator('.answer h3').allTextContents();

/** Opens a link to a request, with the key of the world. */
async function open(tab: Tab, world: ConsoleWorld, draft: Partial<Draft>): Promise<void> {
  await enter(tab, world, `ask?r=${await packDraft({ ...FIRST_DRAFT, ...draft })}`);
  await tab.page
    .getByLabel('State, as text')
    .getByText(draft.state ?? FIRST_DRAFT.state)
    .waitFor();
}

consoleTest('a question is answered, with probabilities, cost and times', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  const form = page.getByRole('form', { name: 'Request' });
  const before = await form.boundingBox();
  await ask(tab);
  t.strictSame(await answerNames(page), ['angry', 'team', 'urgency']);
  t.equal(await page.locator('.meter').count(), 2 + 3 + 4);
  t.equal(await page.locator('.meter.chosen').count(), 3);
  const answers = page.getByRole('region', { name: 'Answers' });
  t.match(
    await answers.textContent(),
    /Modeltiny-20260101.*Output tokens3, free.*Cost< £0\.000001.*Request idreq_/,
  );
  t.match(await page.getByRole('region', { name: /^Time: / }).textContent(), /prepare .* queue .* engine /);
  t.strictSame(await form.boundingBox(), before, 'nothing moves');
  await page.getByLabel('Model').selectOption('tiny');
  await page.getByRole('region', { name: 'Program' }).getByText('"model": "tiny"').waitFor();
});

consoleTest('asked 20 times in exact mode, nothing differs', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  await page.getByRole('button', { name: 'Ask 20 times' }).click();
  await page.getByText('No spread: 20 responses with the same probabilities.').waitFor();
  t.equal(await page.getByText('no spread', { exact: true }).count(), 2 + 3 + 4);
  t.match(await page.getByRole('region', { name: 'Answers' }).textContent(), /Input tokens20 × /);
});

consoleTest('images are dropped in, named in the state, and read', async (t, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  const images = page.getByRole('region', { name: 'Images' });
  await dropFiles(images.locator('.drop'), [
    { name: 'one.png', type: 'image/png', bytes: png() },
    { name: 'wide.png', type: 'image/png', bytes: png({ width: 5_000, height: 1_500 }) },
  ]);
  await images.getByText('scaled down').waitFor();
  await images.getByText('Used 1 time.').nth(1).waitFor();
  await page
    .getByLabel('State, as text')
    .getByText(/\[one\.png\] \[wide\.png\]$/)
    .waitFor();
  await images.getByLabel('70 tokens').check();
  await ask(tab);
  t.strictSame(await answerNames(page), ['angry', 'team', 'urgency']);
  await images.getByLabel('Name in the texts').first().fill('[other.png]');
  await images.getByText(/^Not used/).waitFor();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('unreferenced_asset').waitFor();
  t.match(await alert.textContent(), /Write the name of the image/);
  await dropFiles(images.locator('.drop'), [
    { name: 'a.txt', type: 'text/plain', bytes: Buffer.from('text') },
  ]);
  await images.getByRole('alert').getByText('a.txt is not a PNG or JPEG file.').waitFor();
});

const labels = HOSTILE.map((label) => option(label, label));
const hostile = HOSTILE.map((name, at) =>
  at === 0 ? question(name, 'choice', name, labels) : question(name, 'noul', name),
);

consoleTest(
  'hostile names are text, on a phone',
  async (t, tab, world) => {
    const { page } = tab;
    await open(tab, world, { state: HOSTILE.join(' '), questions: hostile });
    await ask(tab);
    t.strictSame(await answerNames(page), HOSTILE);
    const names = await page.locator('.answer').first().locator('.meter .name').allTextContents();
    t.strictSame(
      names.map((each) => each.replace(' (chosen)', '')),
      HOSTILE,
    );
    t.equal(await page.getByLabel('Name', { exact: true }).nth(1).inputValue(), '__proto__');
    const kinds = page.getByRole('group', { name: 'Kind of editor' });
    await kinds.getByLabel('JSON').check();
    await page.getByLabel('Questions, as JSON').waitFor();
    await kinds.getByLabel('Form').check();
    t.equal(await page.getByLabel('Name', { exact: true }).first().inputValue(), HOSTILE[0]);
    t.equal(await page.title(), 'Ask · decider');
    t.equal(await page.locator('img').count(), 0);
    t.equal(await overflow(tab), 0);
  },
  { context: { viewport: PHONE } },
);

consoleTest('16 questions with 26 options each', async (t, tab, world) => {
  const { page } = tab;
  const options = Array.from({ length: 26 }, (_, at) => option(`label ${at}`));
  const questions = Array.from({ length: 16 }, (_, at) => question(`q${at}`, 'choice', 'Which?', options));
  await open(tab, world, { questions });
  // The state is that of the first draft, which is shown before the link is read.
  await page.getByText('16 of 16').waitFor();
  t.ok(await page.getByRole('button', { name: 'Add a question' }).isDisabled());
  t.ok(await page.getByRole('button', { name: 'Add an option' }).first().isDisabled());
  await ask(tab);
  t.equal(await page.locator('.answer').count(), 16);
  t.equal(await page.locator('.meter').count(), 16 * 26);
  t.equal(await overflow(tab), 0);
});

consoleTest(
  'programs and a link are copied; the link opens the same request and holds no key',
  async (t, tab, world) => {
    const { page } = tab;
    await enter(tab, world);
    const read = () => page.evaluate<string>('navigator.clipboard.readText()');
    for (const [language, pattern] of [
      ['curl', /^curl http/],
      ['TypeScript', /^\/\/ npm [^\n]+\nimport \{ TypeSafeClient \}/],
      ['OpenAI', /^import OpenAI from 'openai';\n\nconst client = new OpenAI\(/],
      ['Python', /^import json/],
    ] as const) {
      await page.getByRole('group', { name: 'Language' }).getByLabel(language).check();
      await page.getByRole('button', { name: 'Copy', exact: true }).click();
      await until(async () => pattern.test(await read()));
      t.notMatch(await read(), world.token);
    }
    await page.getByLabel('State, as text').fill('A state of the link');
    await page.getByRole('button', { name: 'Copy a link to this request' }).click();
    await until(async () => (await read()).startsWith(`${world.url}/console#/ask?r=`));
    const link = await read();
    t.notMatch(decodeURIComponent(link), world.token);
    t.notMatch(page.url(), world.token);
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('State, as text').getByText('A state of the link').waitFor();
    await page.goto(`${world.url}/console#/ask?r=damaged`);
    await page.getByText('The link is damaged: it does not hold a request.').waitFor();
  },
  { context: { permissions: ['clipboard-read', 'clipboard-write'] } },
);

consoleTest('the state has a marker where the model stops reading', async (_, tab, world) => {
  const { page } = tab;
  await enter(tab, world);
  await page.getByLabel('State, as text').fill('x'.repeat(20_001));
  await page.getByText('20,001 of 20,000 characters: the model does not read the rest.').waitFor();
  await page.getByRole('group', { name: 'Kind of state' }).getByLabel('JSON').check();
  await page.getByText(/^Not valid JSON: /).waitFor();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page
    .getByRole('alert')
    .getByText(/^The state is not valid JSON/)
    .waitFor();
});

consoleTest('a key, a state, a question and its answer with the keyboard alone', async (t, tab, world) => {
  const { page } = tab;
  const { keyboard } = page;
  await page.goto(`${world.url}/console`);
  await haveFocus(page.getByLabel('Key', { exact: true }));
  await keyboard.type(world.token);
  await keyboard.press('Enter');
  await page.getByRole('form', { name: 'Request' }).waitFor();
  await focusOn(page, page.getByRole('button', { name: 'Support message' }));
  await focusOn(page, page.getByLabel('State, as text'));
  await keyboard.press('Control+A');
  await keyboard.type('It rains.');
  // Tab leaves the editor.
  await focusOn(page, page.getByLabel('Instructions').first());
  await keyboard.press('Control+A');
  await keyboard.type('Is it wet?');
  await focusOn(page, page.getByRole('button', { name: 'Remove option 3' }));
  await keyboard.press('Enter');
  await haveFocus(page.getByLabel('Label of option 2'));
  const button = page.getByRole('button', { name: 'Ask', exact: true });
  await focusOn(page, button);
  await keyboard.press('Enter');
  await page.getByText('Answered.').waitFor();
  // The focus stays.
  await haveFocus(button);
  t.match(await page.getByRole('region', { name: 'Answers' }).textContent(), 'Is it wet?');
  await page.goto(`${world.url}/console#/usage`);
  await focusOn(page, page.getByRole('button', { name: 'Forget the key' }));
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Enter a key' }).waitFor();
  await haveFocus(page.getByLabel('Key', { exact: true }));
  t.equal(await page.evaluate('sessionStorage.length'), 0);
  t.strictSame(await page.evaluate('Object.keys(localStorage)'), ['decider.history']);
  t.notMatch(await page.evaluate<string>("localStorage.getItem('decider.history')"), world.token);
});
