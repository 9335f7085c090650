import { FIRST_DRAFT } from '../../../src/console/ask/examples.js';
import { packDraft } from '../../../src/console/ask/share.js';
import { consoleTest, enter } from '../../support/console/console.js';

interface Model {
  default: boolean;
  reads_images: boolean;
  domain: string | null;
  context_tokens: number | null;
}

consoleTest(
  'a state that is longer than the model reads is found before it is sent',
  async (t, tab, world) => {
    const { page } = tab;
    await page.route('**/v1/limits', async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { models: Model[] };
      for (const model of json.models) model.context_tokens = 2_048;
      await route.fulfill({ response, json });
    });
    await enter(tab, world);
    await page.getByRole('option', { name: 'tiny (default)' }).waitFor({ state: 'attached' });
    const state = page.getByLabel('State, as text');
    await state.fill('word '.repeat(1_600));
    await page.getByText('8,000 of 20,000 characters', { exact: true }).waitFor();
    await state.fill('word '.repeat(2_484));
    await page
      .getByText(
        /^12,420 of 20,000 characters, about 3,105 tokens: more than tiny can read\..*Shorten the state\.$/,
      )
      .waitFor();
    await page.unroute('**/v1/limits');
    t.ok(true);
  },
);

consoleTest('a request that the model cannot read marks the state', async (t, tab, world) => {
  const { page } = tab;
  // Tokens of one character each: the estimate is too low.
  const state = Array.from({ length: 19_000 }, (_, at) => String.fromCodePoint(0x4e00 + (at % 2_000))).join(
    '',
  );
  await enter(tab, world, `ask?r=${await packDraft({ ...FIRST_DRAFT, state })}`);
  await page.getByText(/^19,000 of 20,000 characters/).waitFor();
  await page.route('**/v1/decide', (route) =>
    route.fulfill({
      status: 422,
      json: {
        type: 'invalid_question',
        error: `The state and the question "angry" take more than the model's context window of 2048 tokens.`,
      },
    }),
  );
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.locator('.editor.wrong').waitFor();
  t.match(await page.getByRole('alert').textContent(), /Shorten the state/);
});

const DOMAIN = 'short English customer-support messages and small records';

consoleTest('the domain of a model is shown, and its examples are within it', async (t, tab, world) => {
  const { page } = tab;
  await page.route('**/v1/limits', async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { models: Model[] };
    for (const model of json.models) model.domain = DOMAIN;
    await route.fulfill({ response, json });
  });
  await enter(tab, world);
  await page.getByText(`Trained for ${DOMAIN} only: its answers to anything else are guesses.`).waitFor();
  const examples = page.getByRole('list', { name: 'Start with an example' });
  t.strictSame(
    (await examples.getByRole('button').allTextContents()).filter((each) => !each.includes('image')),
    ['Support message', 'Damaged parcel', 'Small record'],
  );
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('region', { name: 'Models and prices' }).getByText(DOMAIN).waitFor();
});

consoleTest('the example with an image is only offered if a model reads it', async (t, tab, world) => {
  const { page } = tab;
  await page.route('**/v1/limits', async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { models: Array<Model & { id: string }> };
    const [tiny] = json.models;
    if (tiny === undefined) throw new Error('there is no model');
    json.models = [
      { ...tiny, id: 'blind', reads_images: false, default: true },
      { ...tiny, default: false },
    ];
    await route.fulfill({ response, json });
  });
  await enter(tab, world);
  await page.getByRole('button', { name: 'Two shapes in an image' }).click();
  await page.getByText('Used 1 time.').waitFor();
  t.equal(await page.getByLabel('Model').inputValue(), 'tiny', 'a model that reads it is chosen');
});
