import { type Test, test } from 'tap';
import { longestPrompt } from '../../src/engine/index.js';
import {
  type Goal,
  judgeNumerics,
  predictionError,
  scoreOfVerified,
  tune,
  tunePage,
} from '../../src/tuning/index.js';
import type { Answers, DeviceAnswers } from '../../src/tuning/numerics/measure-answers.js';
import { openProbe } from '../../src/tuning/probe.js';
import { ProbeError } from '../../src/tuning/process/probe-backend.js';
import { BUSY_SPREAD, BUSY_SPREAD_MAX, recommend } from '../../src/tuning/recommend.js';
import type { Costs } from '../../src/tuning/simulation/cost-model.js';
import { measureSpeed } from '../../src/tuning/speed/measure-speed.js';
import { typicalPlans } from '../../src/tuning/typical-plans.js';
import type { Verified } from '../../src/tuning/verification/verify.js';
import { COLD, openTiny } from '../support/engine.js';
import {
  noise,
  type SyntheticMachine,
  syntheticAddon,
  syntheticEngines,
  VirtualClock,
} from '../support/synthetic-machine.js';

const BOUNDS = {
  cells: 4_096,
  waveTokens: 512,
  microBatchTokens: 512,
  microBatchTokensMin: 64,
  sequences: 64,
};
const CURRENT = { wave_tokens: 512, contexts: 1, sequences: 64, threads: 1, batch_percent: 20 };

/** A processor that takes 0.1 ms per token, and for attention as much again at 3,300 cells. */
const PROCESSOR: Costs = {
  decodeMs: 2,
  ranges: [{ upTo: Number.POSITIVE_INFINITY, tokenMs: 0.1 }],
  tokenCellMs: 3e-5,
  cellStep: 256,
  freeCellsPerToken: 2,
  visibleMs: 0,
  rowMs: 0.1,
  hostDecodeMs: 0,
  hostTokenMs: 0,
};

const ANSWERS: Answers = Array.from({ length: 16 }, (_, at) => [Float32Array.of(at, 1)]);
const RIGHT: DeviceAnswers = { alone: ANSWERS, together: ANSWERS, repeated: { alone: [], together: [] } };

function tuned(t: Test, goal: Goal, factor: SyntheticMachine['factor'], costs = PROCESSOR) {
  const clock = new VirtualClock();
  const machine = { costs, clock, factor };
  const model = openTiny(t.testdir(), { layers: 2, globalEvery: 2 });
  const steps: string[] = [];
  const report = tune(
    {
      build: 'tiny-20260101',
      device: 'a processor',
      goal,
      ms: 60_000,
      model,
      machine: { device: '', cells: BOUNDS.cells, sharing: COLD, images: null },
      current: CURRENT,
      grid: {
        waveTokens: [64, 128, 256, 512],
        contexts: [1],
        sequences: [64],
        threads: [1],
        batchPercent: [10, 20, 40],
      },
    },
    {
      measurer: {
        reference: async () => ANSWERS,
        answers: async () => RIGHT,
        speed: async (threads, ms) =>
          measureSpeed(
            openProbe(syntheticAddon(machine), model, { device: '', bounds: BOUNDS, threads }),
            ms,
            clock,
          ),
      },
      open: syntheticEngines(machine, BOUNDS.cells, COLD),
      clock,
      onStep: (text) => steps.push(text),
    },
  );
  return report.then((found) => ({ ...found, steps }));
}

for (const goal of ['latency', 'throughput'] as const) {
  test(`a synthetic processor, ${goal}: predictions are right, and the recommendation is the best that ran`, async (t) => {
    const report = await tuned(t, goal, noise(1, 1.1));
    const { verified, recommended, refusals, notes, speed, steps, roofline, curves } = report;
    t.strictSame([refusals, notes], [[], []]);
    t.equal(steps.length, 5);
    t.equal(speed.length, 1);
    const [current] = verified;
    t.match(current?.choice, CURRENT);
    t.ok(verified.length >= 3);
    for (const one of verified) {
      t.equal(one.failure, null);
      for (const shape of one.shapes)
        t.ok(Math.abs(predictionError(shape)) < 0.2, `${shape.title}: ${predictionError(shape)}`);
      const score = { title: goal, predicted: one.predicted, measured: one.measured };
      t.ok(Math.abs(predictionError(score)) < 0.2, `${one.choice.wave_tokens}: ${predictionError(score)}`);
    }
    const chosen = verified.find(({ choice }) => choice.wave_tokens === recommended?.wave_tokens) as Verified;
    t.match(report, { build: 'tiny-20260101', device: 'a processor', date: /^1970-01-01T/ });
    t.equal(roofline.length, current?.shapes.length);
    t.ok(
      roofline.every((share) => share > 0 && share < 2),
      roofline.join(' '),
    );
    const [low, high] = [curves?.current[0], curves?.current.at(-1)];
    t.ok((low?.p95 ?? 0) < (high?.p95 ?? 0) && (low?.rate ?? 0) < (high?.rate ?? 0));
    const page = await tunePage(report);
    t.match(page, /<h1>Tuning of tiny-20260101<\/h1>.*<svg role="img"/s);
    for (const shape of current?.shapes ?? []) t.ok(page.includes(shape.title));
    for (const one of verified) t.ok(scoreOfVerified(chosen) <= scoreOfVerified(one) * 1.031);
  });
}

test('on a busy machine nothing is recommended, and the reason has the spread', async (t) => {
  const report = await tuned(t, 'throughput', noise(3, 6));
  const { recommended, refusals } = report;
  t.match(await tunePage(report), /<p>Nothing is recommended\.<\/p><p>the machine is busy/);
  t.equal(recommended, null);
  t.match(refusals, [
    /^the machine is busy: the same decode took 1\.0 to \d\.\d times as long as its fastest run/,
  ]);
});

test('a device that fails while its decodes are timed is refused', async (t) => {
  const clock = new VirtualClock();
  const model = openTiny(t.testdir(), { layers: 2, globalEvery: 2 });
  const { numerics, refusals, recommended } = await tune(
    {
      build: 'tiny-20260101',
      device: 'a processor',
      goal: 'latency',
      ms: 1,
      model,
      machine: { device: '', cells: 4_096, sharing: COLD, images: null },
      current: CURRENT,
      grid: { waveTokens: [512], contexts: [1], sequences: [64], threads: [1], batchPercent: [20] },
    },
    {
      measurer: {
        reference: async () => ANSWERS,
        answers: async () => RIGHT,
        speed: async () => {
          throw new ProbeError('it ended the measuring process: SIGSEGV');
        },
      },
      open: async () => {
        throw new Error('not opened');
      },
      clock,
      onStep: () => {},
    },
  );
  t.strictSame(refusals, ['its decodes failed: it ended the measuring process: SIGSEGV']);
  t.equal(recommended, null);
  t.strictSame(numerics, judgeNumerics(ANSWERS, RIGHT, 2));
});

test('if no typical request fits, nothing is measured, and the report says which bound is too small', async (t) => {
  const tiny = openTiny(t.testdir(), { layers: 2, globalEvery: 2 });
  const unused = async () => {
    throw new Error('it was measured');
  };
  const refusalsWith = async (contextLength: number, cells: number) => {
    const plan = {
      ...{ build: 'tiny-20260101', device: 'a processor', goal: 'latency' as const, ms: 1 },
      model: { ...tiny, contextLength },
      machine: { device: '', cells, sharing: COLD, images: null },
      current: CURRENT,
      grid: { waveTokens: [512], contexts: [1], sequences: [64], threads: [1], batchPercent: [20] },
    };
    const measurer = { reference: unused, answers: unused, speed: unused };
    const report = await tune(plan, {
      measurer,
      open: unused,
      clock: new VirtualClock(),
      onStep: () => {},
    });
    t.match(report, { numerics: null, recommended: null });
    return report.refusals;
  };
  t.strictSame(await refusalsWith(64, 64), ['no typical request fits the context length of 64 tokens']);
  t.strictSame(await refusalsWith(4_096, 128), [
    'no typical request fits the 128 cells of a context: raise engine.cells',
  ]);
});

test('typical requests with a prompt that exceeds the cells are left out', (t) => {
  const model = openTiny(t.testdir(), { layers: 2, globalEvery: 2 });
  const longestOf = (cells: number) =>
    Math.max(...typicalPlans(model, cells, { seed: 2, shape: 'short', count: 40 }).map(longestPrompt));
  const most = longestOf(8_192);
  t.equal(longestOf(most), most);
  const least = longestOf(most - 1);
  t.ok(least > 0 && least < most);
  t.end();
});

/** Settings that ran, with one shape that was predicted to take 100 ms. */
const ran = (
  wave_tokens: number,
  measured: number[],
  shape = [100, 100],
  failure: string | null = null,
): Verified => ({
  choice: { ...CURRENT, wave_tokens },
  predicted: 1,
  measured,
  shapes: [{ title: 'shape', predicted: 100, measured: shape }],
  failure,
});
const QUIET = () => ({ usual: 1, largest: 1 });

test('the current settings remain unless others are better by 3 %', (t) => {
  const waves = (...verified: Verified[]) => recommend(verified, QUIET).choice?.wave_tokens;
  t.equal(waves(ran(512, [100]), ran(256, [97])), 512);
  t.equal(waves(ran(512, [100]), ran(256, [96.9])), 256);
  t.equal(waves(ran(512, [150, 100]), ran(256, [99, 300]), ran(128, [90, 95])), 128);
  const failing = ran(256, [], [], 'no memory');
  t.match(recommend([ran(512, [100]), failing], QUIET).notes, [/could not run: no memory$/]);
  t.match(recommend([failing], QUIET), { choice: null, refusals: ['no engine could be started: no memory'] });
  t.end();
});

test('a machine is busy: at the bounds and beyond', (t) => {
  const refused = (shape: number[], usual: number) =>
    recommend([ran(512, [100], shape)], () => ({ usual, largest: 9 })).refusals.length > 0;
  const wrong = [60, 60];
  t.notOk(refused([100, 100], BUSY_SPREAD_MAX));
  t.ok(refused([100, 100], BUSY_SPREAD_MAX + 0.01));
  t.notOk(refused(wrong, BUSY_SPREAD));
  t.ok(refused(wrong, BUSY_SPREAD + 0.01));
  // 20 % off is right, more is wrong.
  t.notOk(refused([100 / 1.2 + 0.01, 84], 1.9));
  t.ok(refused([100 / 1.2 - 0.01, 84], 1.9));
  t.match(recommend([ran(512, [100], wrong)], QUIET).notes, [/^Predictions are wrong by up to 67 %/]);
  t.end();
});
