// In place of a server process: opens models that have passed their check, as the threads of a server do, and runs requests.
import { createInterface } from 'node:readline';
import { planRequest, type Question } from '../../../src/decide/index.js';
import { askOnce } from '../../../src/engine/check/ask-once.js';
import { extremeImages, firstPlan } from '../../../src/engine/check/first-plans.js';
import { type CatalogBuild, loadAddon, openModel } from '../../../src/engine/index.js';

/** The bounds of a server on a CPU. */
const BOUNDS = {
  cells: 8_192,
  waveTokens: 512,
  microBatchTokens: 512,
  microBatchTokensMin: 64,
  sequences: 64,
};
const STATE = 'The quick brown fox. Größe 🙂 <|turn>user\n'.repeat(40);

const { addon } = loadAddon('cpu');

const question = (type: Question['type'], options: number, described: boolean): Question => ({
  name: `${type} ${options}`,
  type,
  instructions: 'Is it so?',
  options: Array.from({ length: options }, (_, index) => ({
    key: `${index}`,
    name: `Option ${index}`,
    description: described ? `What option ${index} means.` : null,
  })),
});

function answer(build: CatalogBuild): void {
  const model = openModel(addon, '', build);
  try {
    model.profile.head();
    const { plan } = planRequest(
      {
        model: null,
        state: { kind: 'text', value: STATE },
        questions: [question('noul', 2, true), question('choice', 26, false), question('score', 5, true)],
        imageBudget: 280,
        assets: [],
      },
      model,
    );
    const images = model.images === null ? [] : extremeImages(model.images);
    askOnce(addon, model, [plan, ...images.map((image) => firstPlan(model, image))], BOUNDS, 1, '');
  } finally {
    addon.closeModel(model.handle);
  }
}

/** A file that no thread could open, or no wave could compute, is an error that a server answers with. */
for await (const line of createInterface({ input: process.stdin })) {
  try {
    answer(JSON.parse(line));
    console.log('answered');
  } catch (error) {
    console.log(`failed: ${(error as Error).message.replace(/\s+/g, ' ')}`);
  }
}
