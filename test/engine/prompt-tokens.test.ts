import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'tap';
import { fillParts, noImages, type OpenModel, openModel, type Slot } from '../../src/engine/index.js';
import { addon, buildOf, openTiny } from '../support/engine.js';
import { type Random, random } from '../support/random.js';
import { ROOT } from '../support/sources.js';

// Models are trained on these prompts, so that another token at any place can change what they answer. Only a deliberate
// change of a format changes these sums.
const RECORDED = {
  letters: 'e091521ac69150d0f4ba4dc61cd3cb20',
  mapika: 'eb0d1695db64043e4a2d3e78046a8139',
  winnow: '88e8070110b5b51fa5c7f9e6d427777e',
  // The embedded model brings its own format.
  nano: '73f31880d4e11c85792120dfd563a1e8',
};

const NANO = join(ROOT, 'models/nano/decider-g-nano-20261129.gguf');
const QUESTIONS = 150;
const WORDS = [
  ...[
    'order',
    'The refund',
    'late',
    '42',
    'é',
    '🙂',
    '<|turn>',
    '(A)',
    '\n\n',
    '"quoted"',
    '{"a": 1}',
    'AA',
    'B. ',
  ],
  ...['customer', ' spaces ', 'x', 'Options:', '<bos>', 'yes', 'No', '\tTab', '日本語', '-', '…'],
];

const textOf = (next: Random) =>
  Array.from({ length: 1 + next.integer(12) }, () => next.pick(WORDS)).join(next.pick(['', ' ']));

/** The tokens of random questions of up to 26 options, with those of their labels. */
function* promptsOf({ profile, tokenizer }: OpenModel): Generator<Int32Array> {
  const next = random(1);
  for (let count = 0; count < QUESTIONS; count++) {
    const type = next.pick(['noul', 'choice', 'score'] as const);
    const options =
      type === 'noul' ? 2 : (type === 'score' ? 2 : 1) + next.integer(type === 'score' ? 25 : 26);
    const skeleton = profile.skeleton({
      type,
      stateIsText: next.integer(2) === 0,
      hasInstructions: next.integer(2) === 0,
      described: Array.from({ length: options }, () => next.integer(2) === 0),
    });
    const texts = new Map<string, string>();
    const shown = (slot: Slot) => {
      const key = JSON.stringify(slot);
      if (!texts.has(key)) texts.set(key, textOf(next));
      return [texts.get(key) as string];
    };
    for (const parts of [skeleton.prefix, skeleton.suffix])
      yield fillParts(parts, tokenizer, shown, noImages);
    yield Int32Array.from(skeleton.labels, (label) => profile.labels[label] as number);
  }
}

function sumOf(model: OpenModel): string {
  const hash = createHash('sha256');
  for (const tokens of promptsOf(model)) hash.update(`${tokens.join()} `);
  return hash.digest('hex').slice(0, 32);
}

test('the prompts of questions with up to 26 options have the recorded tokens', (t) => {
  for (const [name, sum] of Object.entries(RECORDED)) {
    const nano = name === 'nano';
    const model = nano ? openModel(addon, '', buildOf(NANO)) : openTiny(t.testdir(), {}, { profile: name });
    t.equal(sumOf(model), sum, name);
  }
  t.end();
});
