import { test } from 'tap';
import { planRequest } from '../../../src/decide/plan/index.js';
import { findImageUses } from '../../../src/decide/references/index.js';
import { openBody, readRequest } from '../../../src/decide/request/index.js';
import { FORMATS, type OpenModel } from '../../../src/engine/index.js';
import { openTiny } from '../../helpers/engine.js';
import { OPTIONS } from '../request/bodies.js';

const image = { format: 'png', data_base64: '' };

function planOf(model: OpenModel, body: object) {
  const request = readRequest(openBody(Buffer.from(JSON.stringify(body))), OPTIONS);
  return planRequest(request, model, findImageUses(request));
}

/** The texts of a part of a plan, with its images between them. */
function show(
  model: OpenModel,
  tokens: Int32Array,
  images: ReadonlyArray<{ at: number; image: number }>,
): string {
  const text = (from: number, to?: number) =>
    Buffer.concat([...tokens.subarray(from, to)].map((token) => model.tokenizer.piece(token))).toString(
      'utf8',
    );
  const pieces = images.map(
    ({ at, image: shown }, index) => `${text(images[index - 1]?.at ?? 0, at)}<<${shown}>>`,
  );
  return pieces.join('') + text(images.at(-1)?.at ?? 0);
}

for (const profile of Object.keys(FORMATS)) {
  test(`the plan says where each image stands: ${profile}`, async (t) => {
    const model = openTiny(t.testdir(), {}, { profile });
    const assets = { cat: image, '"dog"': image };
    const body = {
      state: { s: ['a cat and "dog"'] },
      questions: {
        cat: {
          type: 'choice',
          instructions: 'cat or "dog"?',
          criteria: { cat: 'a cat', other: null },
        },
        plain: { type: 'noul', instructions: 'Is it?' },
      },
      assets,
    };
    const { plan, images } = planOf(model, body);
    const [first, second] = plan.leaves;
    const prefix = show(model, plan.prefix, images.prefix);
    t.match(prefix, 'a <<0>> and <<1>>"\n');
    t.strictSame(
      images.prefix.map((each) => each.image),
      [0, 1],
    );
    const leaf = show(model, first?.tokens as Int32Array, images.leaves[0] ?? []);
    t.match(leaf, '<<0>> or <<1>>?');
    t.match(leaf, 'a <<0>>');
    t.equal(images.leaves[0]?.length, 3);
    t.strictSame(images.leaves[1], []);
    // Without the images the question that has none is the same, token for token.
    const without = planOf(model, { ...body, state: 'x', questions: body.questions, assets: {} });
    t.strictSame(without.images, { prefix: [], leaves: [[], []] });
    t.strictSame(without.plan.leaves[1], second);
  });
}

test('contract 8, billing 5: an image in the state stands in the prefix once, whatever the number of questions', async (t) => {
  const model = openTiny(t.testdir());
  const questions = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { type: 'noul' }]));
  const { images } = planOf(model, { state: 'img, img', questions, assets: { img: image } });
  t.equal(images.prefix.length, 2, 'once per appearance');
  t.strictSame(images.leaves, [[], [], []]);
});
