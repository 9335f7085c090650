import { test } from 'tap';
import { planRequest } from '../../../src/decide/plan.js';
import { findImageUses } from '../../../src/decide/references/find-uses.js';
import { openBody } from '../../../src/decide/request/open-body.js';
import { readRequest } from '../../../src/decide/request/read-request.js';
import { BUILT_IN_FORMATS, imageAt, type OpenModel, type PlanImage } from '../../../src/engine/index.js';
import { OPTIONS } from '../../support/decide/bodies.js';
import { openTiny } from '../../support/engine.js';

const image = { format: 'png', data_base64: '' };
const READING = { kind: 'gemma4v', begin: 5, end: 6, side: 48, width: 64, encodeTokensPerToken: 1 };

/** As the model would see images of 1 × 1, 1 × 2, 1 × 3 squares, and so on. */
function imagesOf(keys: readonly string[]): PlanImage[] {
  return keys.map((key, place) => ({ width: 48, height: 48 * (place + 1), rgb: new Uint8Array(), key }));
}

function planOf(model: OpenModel, body: object, named?: readonly string[]) {
  const request = readRequest(openBody(Buffer.from(JSON.stringify(body))), OPTIONS);
  const keys = named ?? request.assets.map(({ reference }) => reference);
  const shown = { uses: findImageUses(request), images: imagesOf(keys) };
  return planRequest(request, { ...model, images: READING }, shown);
}

/** The text of tokens, with `<<place of the image × tokens between its markers>>` where one is shown. */
function show(model: OpenModel, tokens: Int32Array): string {
  const bytes: Buffer[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as number;
    const shown = imageAt(tokens[at + 1] ?? 0);
    if (token !== READING.begin || shown < 0) {
      bytes.push(model.tokenizer.piece(token));
      continue;
    }
    const end = tokens.indexOf(READING.end, at);
    const run = tokens.subarray(at + 1, end);
    bytes.push(
      Buffer.from(run.every((each) => each === run[0]) ? `<<${shown}×${run.length}>>` : 'a mixed run'),
    );
    at = end;
  }
  return Buffer.concat(bytes).toString('utf8');
}

for (const profile of Object.keys(BUILT_IN_FORMATS)) {
  test(`an image stands in the tokens where its reference was: ${profile}`, async (t) => {
    const model = openTiny(t.testdir(), {}, { profile });
    const assets = { cat: image, '"dog"': image };
    const body = {
      state: { s: ['a cat and "dog"'] },
      questions: {
        cat: {
          type: 'choice',
          instructions: 'cat"dog"?',
          criteria: { cat: 'a cat', other: null },
        },
        plain: { type: 'noul', instructions: 'Is it?' },
      },
      assets,
    };
    const { plan, inputTokens } = planOf(model, body);
    const [first, second] = plan.suffixes;
    t.match(show(model, plan.prefix), 'a <<0×1>> and <<1×2>>"\n');
    const suffix = show(model, first?.tokens as Int32Array);
    t.match(suffix, '<<0×1>><<1×2>>?', 'side by side');
    t.match(suffix, 'a <<0×1>>');
    t.notMatch(show(model, second?.tokens as Int32Array), '<<');
    t.equal(
      inputTokens,
      plan.suffixes.reduce((sum, { tokens }) => sum + tokens.length, plan.prefix.length),
    );
    // Without the images the question that has none is the same, token for token.
    const without = planOf(model, { ...body, state: 'x', assets: {} });
    t.strictSame(without.plan.suffixes[1], second);
    t.strictSame(without.plan.images, []);
  });
}

test('contract 8 rules 4 and 5: an image in the state is billed once for each appearance, one in a question for that question', async (t) => {
  const model = openTiny(t.testdir());
  const questions = (names: string[], instructions = 'Is it?') =>
    Object.fromEntries(names.map((name) => [name, { type: 'noul', instructions }]));
  const tokens = (state: string, asked: object, assets = { img: image }) =>
    planOf(model, { state, questions: asked, assets }).inputTokens;
  const one = tokens('img', questions(['a']));
  const two = tokens('img', questions(['a', 'b']));
  t.equal(tokens('imgimg', questions(['a'])) - one, 3, 'a square and two markers more');
  t.equal(tokens('imgimg', questions(['a', 'b'])) - two, 3, 'whatever the number of questions');
  const shownTwice = tokens('img', questions(['a', 'b'], 'Is itimg?'));
  const shownNever = tokens('img', questions(['a', 'b'], 'Is it?'));
  t.ok(shownTwice - shownNever >= 6, 'once for each question that shows it');
});

test('prefixes with the same images have the same key, whatever the order of the assets', async (t) => {
  const model = openTiny(t.testdir());
  const questions = { q: { type: 'noul' } };
  const keyOf = (state: string, assets: string[], keys: string[]) =>
    planOf(model, { state, questions, assets: Object.fromEntries(assets.map((name) => [name, image])) }, keys)
      .plan.prefixKey;
  const key = keyOf('a1 b2', ['a1', 'b2'], ['red', 'red']);
  t.equal(keyOf('c3 d4', ['c3', 'd4'], ['red', 'red']), key);
  t.not(keyOf('a1 b2', ['a1', 'b2'], ['red', 'blue']), key, 'another image');
  t.not(
    keyOf('a1 b2', ['a1', 'b2'], ['blue', 'red']),
    keyOf('a1 b2', ['a1', 'b2'], ['red', 'blue']),
    'another order',
  );
});
