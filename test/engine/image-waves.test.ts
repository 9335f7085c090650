import { test } from 'tap';
import { imageTokens, type Plan, type PlanImage } from '../../src/engine/index.js';
import { ContextState } from '../../src/engine/scheduler/context-state.js';
import { Embeddings } from '../../src/engine/scheduler/embeddings.js';
import { Scheduler } from '../../src/engine/scheduler/scheduler.js';
import type { Entry } from '../../src/engine/scheduler/scheduler-types.js';
import { settle } from '../../src/engine/scheduler/step.js';
import type { Wave } from '../../src/engine/scheduler/wave-builder.js';
import { roundsOf } from '../../src/engine/wave/decodes.js';
import { COLD, planOf } from '../support/engine.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';

const SIDE = 48;
const BOUNDS = {
  cells: 4_000,
  waveTokens: 512,
  microBatchTokens: 512,
  microBatchTokensMin: 0,
  sequences: 64,
};
const SIZES = { side: SIDE, width: 1, encodeTokensPerToken: 1.5 };
const OPTIONS = Int32Array.of(1, 2);
const ROUNDS = 200;

const imageOf = (key: string, width: number, height: number): PlanImage => ({
  width: width * SIDE,
  height: height * SIDE,
  rgb: new Uint8Array(0),
  key,
});

/** Text as its length, images by their place in the list. */
type Parts = ReadonlyArray<{ readonly text: number } | number>;

let mark = 0;

function planWith(images: readonly PlanImage[], prefix: Parts, ...suffixes: Parts[]): Plan {
  const counts = images.map(({ width, height }) => (width / SIDE) * (height / SIDE));
  const write = imageTokens({ begin: 1, end: 2 }, counts);
  const tokens = (parts: Parts) =>
    Int32Array.from(
      parts.flatMap((part) => {
        if (typeof part === 'number') return [...write(part)];
        mark += 1;
        return new Array<number>(part.text).fill(mark + 10);
      }),
    );
  return planOf(
    tokens(prefix),
    suffixes.map((parts) => ({ tokens: tokens(parts), options: OPTIONS })),
    images,
  );
}

const tokensIn = ({ task }: Wave<Entry>) =>
  task.phases.flatMap(({ streams }) => streams).reduce((sum, { tokens }) => sum + tokens.length, 0);

/** Fills waves until none is left; gives each to `look`, then keeps what it encoded. Returns the plans in the order in which they are whole. */
function drain(plans: readonly Plan[], embeddings: Embeddings, look: (wave: Wave<Entry>) => void = () => {}) {
  const scheduler = new Scheduler<Entry>({ queueMax: plans.length });
  const state = new ContextState<Entry>(BOUNDS, COLD, embeddings);
  for (const plan of plans) scheduler.add({ plan, dropped: false }, 'live');
  const whole: Plan[] = [];
  for (let wave = scheduler.fill(state); wave !== null; wave = scheduler.fill(state)) {
    look(wave);
    const results = wave.answered.map(() => new Float32Array(2));
    whole.push(...settle(state, wave, results).map(({ entry }) => entry.plan));
  }
  return whole;
}

function randomPlan(next: Random): Plan {
  const images = Array.from({ length: 1 + next.integer(3) }, () =>
    imageOf(`${next.integer(5)}`, 1 + next.integer(7), 1 + next.integer(39)),
  ).map((image) =>
    imageOf(`${image.key} ${image.width} ${image.height}`, image.width / SIDE, image.height / SIDE),
  );
  const parts = (): Parts =>
    Array.from({ length: next.integer(4) }, () =>
      next.integer(2) === 0 ? next.integer(images.length) : { text: 1 + next.integer(100) },
    );
  const suffixes = Array.from({ length: 1 + next.integer(4) }, () => [
    ...parts(),
    { text: 1 + next.integer(20) },
  ]);
  return planWith(images, [{ text: 1 + next.integer(200) }, ...parts()], ...suffixes);
}

test('waves with images: everything ends, no wave is too large, no image is cut or encoded twice', (t) => {
  const seed = seedFromEnvironment();
  const next = random(seed);
  const faults: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const plans = Array.from({ length: 1 + next.integer(6) }, () => randomPlan(next));
    const seen = new Set<string>();
    const found = drain(plans, new Embeddings(SIZES, 1 << 30), (wave) => {
      if (tokensIn(wave) > BOUNDS.waveTokens) faults.push(`round ${round}: ${tokensIn(wave)} tokens`);
      for (const key of wave.encoded.keys()) {
        if (seen.has(key)) faults.push(`round ${round}: encoded twice`);
        seen.add(key);
      }
      for (const { streams } of wave.task.phases) {
        for (const { image, tokens } of streams) {
          const length = image === undefined ? tokens.length : wave.task.images[image]?.embedding.length;
          if (length !== tokens.length) faults.push(`round ${round}: ${tokens.length} of ${length} tokens`);
        }
      }
    });
    if (found.length !== plans.length)
      faults.push(`round ${round}: ${found.length} of ${plans.length} plans`);
  }
  t.strictSame(faults, [], `seed ${seed}`);
  t.end();
});

test('waves with images: short plans that keep coming do not starve a long one', (t) => {
  const scheduler = new Scheduler<Entry>({ queueMax: 1_000 });
  const state = new ContextState<Entry>(BOUNDS, COLD, new Embeddings(SIZES, 0));
  const images = [imageOf('a', 20, 14), imageOf('b', 20, 14)];
  const long = { plan: planWith(images, [{ text: 10 }, 0, 1], [0, { text: 5 }]), dropped: false };
  scheduler.add(long, 'live');
  let waves = 0;
  for (let done = false; !done && waves < 20; waves++) {
    for (let i = 0; i < 4; i++) {
      scheduler.add({ plan: planWith([], [{ text: 120 }], [{ text: 8 }]), dropped: false }, 'live');
    }
    const wave = scheduler.fill(state) as Wave<Entry>;
    done = settle(
      state,
      wave,
      wave.answered.map(() => new Float32Array(2)),
    ).some(({ entry }) => entry === long);
  }
  // Its text, then an image a wave.
  t.ok(waves <= 5, `${waves} waves`);
  t.end();
});

test('waves with images: encoding counts among the tokens of a wave, once and not where it is known', (t) => {
  const images = [imageOf('a', 10, 10)];
  const plans = () => [1, 2].map(() => planWith(images, [{ text: 5 }, 0], [{ text: 5 }]));
  const embeddings = new Embeddings(SIZES, 1 << 20);
  const waves = (given: readonly Plan[]) => {
    let count = 0;
    drain(given, embeddings, () => {
      count += 1;
    });
    return count;
  };
  // 112 tokens each; 150 more for the encoding, once.
  t.equal(waves(plans()), 1);
  const many = Array.from({ length: 4 }, (_, i) =>
    planWith([imageOf(`${i}`, 10, 10)], [{ text: 5 }, 0], [{ text: 5 }]),
  );
  t.equal(waves(many), 3, 'with their encoding two are more than a wave');
  t.equal(waves(many), 1, 'without, all fit');
  t.end();
});

test('a prefix that is kept keeps no pixels, and the next plan finds it', (t) => {
  const scheduler = new Scheduler<Entry>({ queueMax: 1 });
  const sharing = { ...COLD, idleCellsMax: BOUNDS.cells };
  const state = new ContextState<Entry>(BOUNDS, sharing, new Embeddings(SIZES, 0));
  const plan = planWith([imageOf('a', 20, 14), imageOf('b', 20, 14)], [0, { text: 10 }, 1], [{ text: 5 }]);
  const wavesOf = () => {
    scheduler.add({ plan, dropped: false }, 'live');
    let waves = 0;
    while (scheduler.fill(state) !== null) waves += 1;
    return waves;
  };
  t.equal(wavesOf(), 2, 'an image is never cut');
  t.strictSame(state.cache.findPrefix(plan.prefixKey)?.images, []);
  t.equal(wavesOf(), 1);
  t.end();
});

test('rounds: images equally deep in their prompts go together, one per sequence', (t) => {
  const text = (...sequences: number[]) => ({ tokens: Int32Array.of(1), position: 0, sequences });
  const image = (...sequences: number[]) => ({ tokens: Int32Array.of(-1), position: 0, sequences, image: 0 });
  const shape = (...streams: Parameters<typeof roundsOf>[0]) =>
    roundsOf(streams).map(
      (round) => `${round.images ? 'images' : 'text'} ${round.streams.map(({ index }) => index)}`,
    );
  t.strictSame(shape(text(0), text(1), text(0, 1)), ['text 0,1,2']);
  t.strictSame(shape(text(0, 1), image(0, 1), text(0), text(1), image(1), text(1)), [
    'text 0',
    'images 1',
    'text 2,3',
    'images 4',
    'text 5',
  ]);
  t.strictSame(shape(text(0), image(0), text(0), text(1), image(1), text(1)), [
    'text 0,3',
    'images 1,4',
    'text 2,5',
  ]);
  t.strictSame(shape(image(0), image(0), text(2)), ['text 2', 'images 0', 'images 1']);
  t.end();
});
