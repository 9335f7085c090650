import { test } from 'tap';
import type { ProjectorKind } from '../../models/tiny/index.js';
import type { Plan, PlanImage } from '../../src/engine/index.js';
import { ContextState, EXACT } from '../../src/engine/scheduler/context-state.js';
import { Embeddings } from '../../src/engine/scheduler/embeddings.js';
import type { ImageEncoder } from '../../src/engine/wave/run-wave.js';
import type { WaveBounds } from '../../src/engine/wave/wave-types.js';
import { answerAll, BOUNDS, COLD, FORMS, openContext, planDistance, TOLERANCE } from '../support/engine.js';
import { noise, type Opened, openReader, planWith } from '../support/images.js';

const KINDS: readonly ProjectorKind[] = ['gemma4v', 'gemma4uv'];

function answer(
  opened: Opened,
  plans: readonly Plan[],
  {
    sharing = COLD,
    bounds = BOUNDS,
    embeddings = new Embeddings(opened.reads, 1 << 30),
  }: {
    sharing?: typeof COLD;
    bounds?: WaveBounds;
    embeddings?: Embeddings;
  } = {},
) {
  const context = openContext(opened.model, bounds);
  const state = new ContextState(bounds, sharing, embeddings);
  try {
    return answerAll(context, plans, sharing, bounds, state, undefined, opened.encoder);
  } finally {
    context.close();
  }
}

const QUESTIONS = Array.from({ length: 8 }, (_, i) => [`Is this number ${i}, as the picture says? Answer: `]);

for (const kind of KINDS) {
  test(`images, ${kind}: questions about one image answer as each does alone, in either form`, (t) => {
    const opened = openReader(t.testdir(), kind);
    const images = [noise(1, 12, 10)];
    const prefix = ['The state is ', 0, ' and this text, which goes on for a while.'];
    const alone = QUESTIONS.map(
      (question) => answer(opened, [planWith(opened, images, prefix, question)])[0]?.[0],
    );
    for (const [form, sharing] of Object.entries(FORMS)) {
      const [together] = answer(opened, [planWith(opened, images, prefix, ...QUESTIONS)], { sharing });
      const worst = planDistance(alone as Float32Array[], together as Float32Array[]);
      t.ok(worst <= TOLERANCE, `${form}: largest |Δp| ${worst.toExponential(1)}`);
    }
    t.end();
  });

  test(`images, ${kind}: the answer depends neither on the form of the prompt nor on concurrent plans`, (t) => {
    const opened = openReader(t.testdir(), kind);
    const images = [noise(1, 12, 10), noise(2, 16, 16), noise(3, 39, 7), noise(4, 1, 1)];
    const plans = [
      planWith(opened, images, [0, 'The image stands first.'], ['Which? ']),
      planWith(
        opened,
        images,
        ['Side by side: ', 1, 0, 2],
        ['Here ', 3, ' and ', 0, ' again: '],
        [1, 1, 'Twice? '],
      ),
      planWith(opened, images, ['No image in the state.'], [2, ' only in the question: '], ['None at all: ']),
      planWith(opened, images, ['Last in the state: ', 3], ['The answer is ']),
      planWith(opened, images, ['Nothing to see.'], ['The answer is ']),
    ];
    const alone = plans.map((plan) => answer(opened, [plan])[0]);
    const narrow = { ...BOUNDS, waveTokens: 290, microBatchTokens: 290 };
    for (const [what, options] of Object.entries({
      together: {},
      'in waves of one image': { bounds: narrow },
      copied: { sharing: FORMS.copied },
      exact: { sharing: EXACT },
    })) {
      const found = answer(opened, plans, options);
      const worst = Math.max(...found.map((logits, i) => planDistance(logits, alone[i] as Float32Array[])));
      t.ok(worst <= TOLERANCE, `${what}: largest |Δp| ${worst.toExponential(1)}`);
    }
    t.end();
  });

  test(`images, ${kind}: which image stands where matters`, (t) => {
    const opened = openReader(t.testdir(), kind);
    const images = [noise(1, 12, 10), noise(2, 12, 10)];
    const plan = (first: number, second: number) =>
      planWith(opened, images, ['First ', first, ' then ', second, '.'], ['Which is first? ']);
    const [there, back, same] = answer(opened, [plan(0, 1), plan(1, 0), plan(0, 0)]);
    t.ok(planDistance(there as Float32Array[], back as Float32Array[]) > TOLERANCE);
    t.ok(planDistance(there as Float32Array[], same as Float32Array[]) > TOLERANCE);
    t.end();
  });

  test(`images, ${kind}: a cache of embeddings changes no bit, and encodes an image once`, (t) => {
    const opened = openReader(t.testdir(), kind);
    let encoded = 0;
    const encoder: ImageEncoder = {
      ...opened.encoder,
      encode: (pixels, out) => {
        encoded += 1;
        opened.encoder.encode(pixels, out);
      },
    };
    const counted = { ...opened, encoder };
    const images = [noise(1, 12, 10), noise(2, 10, 12)];
    const plan = planWith(opened, images, [0, ' and ', 1, 0], [1, 'Which? '], [0, 'Which? ']);
    const cold = answer(counted, [plan], { sharing: EXACT });
    t.equal(encoded, 2);
    const embeddings = new Embeddings(opened.reads, 1 << 30);
    for (const round of [1, 2, 3]) {
      encoded = 0;
      t.strictSame(answerKeeping(counted, plan, embeddings), cold, `round ${round}`);
      t.equal(encoded, round === 1 ? 2 : 0);
    }
    t.end();
  });
}

/** As an engine does: what a wave has encoded is kept. */
function answerKeeping(opened: Opened, plan: Plan, embeddings: Embeddings) {
  const encode = (pixels: Parameters<ImageEncoder['encode']>[0], out: Float32Array) => {
    opened.encoder.encode(pixels, out);
    const image = plan.images.find(({ rgb }) => rgb === pixels.rgb) as PlanImage;
    embeddings.add(image.key, out);
  };
  return answer({ ...opened, encoder: { ...opened.encoder, encode } }, [plan], {
    sharing: EXACT,
    embeddings,
  });
}

test('embeddings: bounded in bytes, the longest unused go first', (t) => {
  const sizes = { side: 48, width: 4, encodeTokensPerToken: 0.5 };
  const [one, two, three] = [noise(1, 2, 2), noise(2, 2, 2), noise(3, 2, 2)];
  const counted: SharedArrayBuffer[] = [];
  const embeddings = new Embeddings(sizes, 2 * 4 * 4 * 4, (memory) => counted.push(memory));
  t.equal(embeddings.encodeTokens(one), 2);
  for (const image of [one, two]) embeddings.add(image.key, embeddings.allocate(image));
  t.equal(embeddings.bytes, 128);
  t.ok(embeddings.find(one.key));
  embeddings.add(three.key, embeddings.allocate(three));
  t.equal(embeddings.bytes, 128);
  t.equal(embeddings.encodeTokens(one), 0);
  t.equal(embeddings.encodeTokens(two), 2);
  const large = noise(4, 3, 3);
  embeddings.add(large.key, embeddings.allocate(large));
  t.equal(embeddings.find(large.key), undefined, 'one that is larger than all is not kept');
  t.strictSame(
    counted.map(({ byteLength }) => byteLength),
    [64, 64, 64, 144],
    'what is made is counted, kept or not',
  );
  t.equal(embeddings.bytes, 128);
  t.end();
});
