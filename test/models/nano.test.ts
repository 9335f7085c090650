import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { blocks } from '../support/pages.js';
import { scaled } from '../support/scale.js';
import { startTestServer } from '../support/server.js';
import { ROOT } from '../support/sources.js';

const FOLDER = join(ROOT, 'models');
const CARD = 'models/nano/README.md';
/**
 * Of probabilities from the trainer, which computes in 32 bits. llama.cpp rounds keys, values, factors of products and sums of
 * attention to 16 bits, in an order that depends on the processor: the largest difference is 1.5e-3, see the model card.
 */
const TOLERANCE = 2e-3;
/** One of so many prompts is compared. */
const STEP = scaled({ short: 4, long: 1 });

type QuestionType = 'noul' | 'choice' | 'score';

/** A question with the trainer's probabilities of its options, in the order of the options; yes before no. */
interface Reference {
  readonly state: string;
  readonly question: { readonly type: QuestionType };
  readonly probabilities: readonly number[];
}

interface Answer {
  readonly noul?: number;
  readonly choice?: string;
  readonly level?: number;
  readonly raw_probabilities: Record<string, number>;
}

const [model] = JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8')).models as [
  { builds: [{ temperatures: Partial<Record<QuestionType, number>> }] },
];

/** Probabilities after the temperature has divided the logits. */
function tempered(probabilities: readonly number[], temperature: number): number[] {
  const powers = probabilities.map((p) => p ** (1 / temperature));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

async function ask(t: Test, environment: Record<string, string> = {}) {
  const { url, headers } = await startTestServer(t, environment, FOLDER);
  return async (request: object): Promise<Record<string, Answer>> => {
    const response = await fetch(`${url}/v1/decide`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'service-raw-probabilities': 'true' },
      body: JSON.stringify(request),
    });
    t.equal(response.status, 200);
    return ((await response.json()) as { answers: Record<string, Answer> }).answers;
  };
}

test('decider-g-nano: the server has the probabilities of the trainer', async (t) => {
  // The other requests of a wave change the order of sums too.
  const decide = await ask(t, { DECIDER_ENGINE_EXACT: 'true' });
  const { temperatures } = model.builds[0];
  const references = readFileSync(join(FOLDER, 'nano/reference.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Reference);
  t.equal(references.length, 200);
  const compared = references.filter((_, at) => at % STEP === 0);
  const distances = await Promise.all(
    compared.map(async ({ state, question, probabilities }) => {
      const { q } = await decide({ state, questions: { q: question } });
      const found = Object.values(q?.raw_probabilities ?? {});
      t.equal(found.length, probabilities.length);
      const wanted = tempered(probabilities, temperatures[question.type] ?? 1);
      return Math.max(...found.map((p, i) => Math.abs(p - (wanted[i] as number))));
    }),
  );
  const worst = Math.max(...distances);
  t.ok(worst <= TOLERANCE, `largest |Δp| ${worst}`);
});

test('decider-g-nano: the examples of the model card have the documented answers', async (t) => {
  const decide = await ask(t);
  const examples = blocks(CARD, 'json').map((block) => JSON.parse(block));
  t.ok(examples.length >= 3);
  for (const { request, expected } of examples) {
    const answers = await decide(request);
    for (const [name, answer] of Object.entries(answers)) {
      const { noul, choice, level } = answer;
      t.equal(
        noul === undefined ? (choice ?? level) : noul > 0.5,
        expected[name],
        `${name}: ${JSON.stringify(answer)}`,
      );
    }
    t.strictSame(Object.keys(answers), Object.keys(expected));
  }
});
