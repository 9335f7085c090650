// Writes the pictures of docs/images, of the consoles with the embedded model: node dist/test/console/pictures.js
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import tap, { type Test, test } from 'tap';
import { startBrowser } from '../support/browser.js';
import { chooseBatch } from '../support/console/batch-file.js';
import { closeTab, enter, openTab } from '../support/console/console.js';
import { OPERATOR_TOKEN, operatorSettings } from '../support/operator.js';
import { startTestServer } from '../support/server.js';
import { ROOT } from '../support/sources.js';

const PLACE = join(ROOT, 'docs/images');
/** That the overview is under load, so that its plots of a minute have something to show. */
const LOAD_MS = 65_000;

const MESSAGES = [
  'My card was charged twice, and nobody has answered me for three days!',
  'Thank you, the refund arrived this morning.',
  'The app closes whenever I open my invoices.',
  'Please cancel my subscription at the end of the month.',
  'How do I change the address of my delivery?',
];

const QUESTIONS = {
  angry: { type: 'noul', instructions: 'Is the customer angry?' },
  topic: {
    type: 'choice',
    instructions: 'What is the message about?',
    criteria: ['payment', 'delivery', 'technical problem', 'contract'],
  },
};

const batch = Array.from({ length: 40 }, (_, at) =>
  JSON.stringify({
    custom_id: `message-${at + 1}`,
    model: 'decider-g-nano',
    state: MESSAGES[at % MESSAGES.length],
    questions: QUESTIONS,
  }),
).join('\n');

tap.setTimeout(300_000);
test('pictures of the consoles', async (t) => {
  const server = await startTestServer(t, await operatorSettings(), join(ROOT, 'models'));
  const token = server.headers.authorization.replace('Bearer ', '');
  const browser = await startBrowser(t);
  const open = async (options: BrowserContextOptions) => {
    const tab = await openTab(browser, options);
    t.teardown(() => closeTab(tab));
    return tab;
  };
  const caller = { url: server.url, token };
  const size = { width: 1_280, height: 1_000 };

  for (const [name, options] of [
    ['console-ask', { viewport: size }],
    ['console-phone', { viewport: { width: 375, height: 690 }, colorScheme: 'dark' }],
  ] as const) {
    const tab = await open(options);
    await enter(tab, caller);
    await tab.page.getByRole('button', { name: 'Support message' }).click();
    await tab.page.getByRole('button', { name: 'Ask', exact: true }).click();
    await tab.page.getByText('Answered.').waitFor();
    if (name === 'console-phone')
      await tab.page.getByRole('heading', { name: 'Answers' }).scrollIntoViewIfNeeded();
    await picture(tab.page, name);
  }

  const results = await open({ viewport: size });
  await enter(results, caller, 'batches');
  await chooseBatch(results.page, batch);
  await results.page.getByRole('button', { name: 'Submit 40 lines' }).click();
  await results.page.getByRole('button', { name: 'Show the results' }).click();
  await results.page.getByText('message-1', { exact: true }).first().waitFor();
  await results.page.getByRole('combobox', { name: 'Question' }).selectOption('topic');
  // The results begin below the facts about the batch.
  await results.page.mouse.wheel(0, 700);
  await results.page.waitForFunction('scrollY > 0');
  await picture(results.page, 'console-results');

  const operator = await open({ viewport: { width: 1_180, height: 900 } });
  await operator.page.goto(server.operatorUrl as string);
  await operator.page.getByRole('textbox', { name: 'Operator’s token' }).fill(OPERATOR_TOKEN);
  await operator.page.getByRole('button', { name: 'Continue' }).click();
  await underLoad(t, (state) => server.decide({ state, questions: QUESTIONS }), LOAD_MS);
  await picture(operator.page, 'operator-console');
});

/** Asks from three callers at a time, with pauses. */
async function underLoad(t: Test, ask: (state: string) => Promise<Response>, lastsMs: number): Promise<void> {
  const end = Date.now() + lastsMs;
  const callers = [0, 1, 2].map(async (number) => {
    for (let at = number; Date.now() < end; at += 1) {
      const { status } = await ask(`${MESSAGES[at % MESSAGES.length]} (${at})`);
      if (status !== 200) t.fail(`status ${status}`);
      await sleep(20 + 80 * (number + 1 + Math.sin(at / 40)));
    }
  });
  await Promise.all(callers);
}

async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(PLACE, `${name}.png`), animations: 'disabled' });
}
