import { join } from 'node:path';
import { type Test, test } from 'tap';
import { writeTinyModel } from '../../models/tiny/index.js';
import { EngineThread, memorySpaces, requireReserve } from '../../src/engine/index.js';
import { CUDA_RESERVE_BYTES, RESERVE_BYTES } from '../../src/engine/memory/gpu-reserve.js';
import { runWave } from '../../src/engine/wave/run-wave.js';
import type { WaveTask } from '../../src/engine/wave/task.js';
import { type WarmUp, warmUpWaves } from '../../src/engine/wave/warm-up.js';
import { BOUNDS, backend, buildOf, device, never, openContext } from '../support/engine.js';
import { openReader } from '../support/images.js';

const GPU: WarmUp = { bounds: BOUNDS, device: 'CUDA0', vocabularySize: 1_000, images: null };

const streamsOf = ({ phases }: WaveTask) => phases.flatMap(({ streams }) => streams);
const tokensOf = (task: WaveTask) => streamsOf(task).reduce((sum, { tokens }) => sum + tokens.length, 0);

test('on a GPU: the largest wave over all sequences, then small ones', async (t) => {
  const [first, ...others] = warmUpWaves(GPU) as [WaveTask, ...WaveTask[]];
  t.equal(tokensOf(first), BOUNDS.waveTokens);
  t.strictSame(
    streamsOf(first).map(({ sequences }) => sequences[0]),
    Array.from({ length: BOUNDS.sequences }, (_, index) => index),
  );
  t.ok(
    streamsOf(first).every(({ options }) => options !== undefined),
    'every sequence has an answer slot',
  );
  t.strictSame(others.map(tokensOf), [64, 8, 1]);
});

test('a wave never has more tokens than cells, nor more sequences than tokens', async (t) => {
  const [first] = warmUpWaves({ ...GPU, bounds: { ...BOUNDS, cells: 256 } }) as [WaveTask];
  t.equal(tokensOf(first), 256);
  const few = warmUpWaves({ ...GPU, bounds: { ...BOUNDS, waveTokens: 3 } })[0] as WaveTask;
  t.strictSame(
    streamsOf(few).map(({ tokens }) => tokens.length),
    [1, 1, 1],
  );
});

test('tokens are ones of the vocabulary', async (t) => {
  const found = warmUpWaves({ ...GPU, vocabularySize: 7 }).flatMap(streamsOf);
  t.ok(found.every(({ tokens }) => tokens.every((token) => token >= 0 && token < 7)));
});

test('on a CPU: one small wave, no image', async (t) => {
  const images = { side: 48, width: 4 };
  const waves = warmUpWaves({ ...GPU, device: '', images });
  t.strictSame(waves.map(tokensOf), [64]);
  t.strictSame(waves[0]?.images, []);
});

test('all waves of a GPU run, with the largest image', async (t) => {
  const { model, encoder } = openReader(t.testdir(), 'gemma4v');
  const { vocabularySize } = model.description;
  const waves = warmUpWaves({ ...GPU, vocabularySize, images: model.images });
  t.equal(waves.length, 5);
  const context = openContext(model);
  for (const task of waves) {
    const results = runWave(context, task, BOUNDS, never(), encoder);
    t.ok(results.length > 0 && results.every(([logit]) => Number.isFinite(logit)));
  }
  t.equal(waves[1]?.images[0]?.embedding.length, 280 * encoder.width);
  t.ok(
    waves[1]?.images[0]?.embedding.some((value) => value !== 0),
    'the image was encoded',
  );
});

function start(t: Test, path: string) {
  const build = buildOf(path);
  const thread = new EngineThread({
    backend,
    device,
    build,
    bounds: BOUNDS,
    threads: 1,
    number: 1,
  });
  t.teardown(() => thread.close());
  return thread;
}

/** A wave on a context that is expected to be empty. */
const wave = (): WaveTask => {
  const tokens = Int32Array.from({ length: 50 }, (_, i) => 300 + i);
  const streams = [{ tokens, position: 0, sequences: [0], options: Int32Array.of(500, 501) }];
  return { clear: false, images: [], removals: [], phases: [{ removals: [], copies: [], streams }] };
};

test('a warmed-up thread answers as one that is not, on an empty context', async (t) => {
  const path = join(t.testdir(), 'tiny.gguf');
  writeTinyModel(path, {});
  const cold = await start(t, path).run(wave());
  const thread = start(t, path);
  await thread.ready();
  t.strictSame(await thread.run(wave()), cold);
});

test('a thread is not ready if its first waves fail, and its error says why', async (t) => {
  const path = join(t.testdir(), 'tiny.gguf');
  writeTinyModel(path, {});
  // Holds the weights, so that the cancel word of the other one does not end its loading.
  await start(t, path).ready();
  const thread = start(t, path);
  thread.cancel();
  await t.rejects(thread.ready(), { message: /tiny\.gguf: its first waves failed: .*cancelled/ });
});

const ADVICE = { cells: 8_192, contexts: 2, waveTokens: 2_048 };
const space = (device: string, free: number) => ({ device, free, total: 24e9 });

for (const [backend, reserve, shown] of [
  ['vulkan', RESERVE_BYTES, '269 MB'],
  ['cuda', CUDA_RESERVE_BYTES, '806 MB'],
] as const) {
  test(`memory after the first waves: at the reserve it is enough, one byte below it is not: ${backend}`, (t) => {
    t.doesNotThrow(() => requireReserve([space('GPU0', reserve)], backend, ADVICE));
    t.throws(() => requireReserve([space('GPU0', reserve - 1)], backend, ADVICE), {
      name: 'MemoryError',
      message: new RegExp(
        `after the first waves ${shown} of 24\\.0 GB of GPU0 are free, and ${shown} must be\\. Do one of these: set engine\\.contexts to 1; set engine\\.cells below 8192 or engine\\.wave_tokens below 2048; .*set engine\\.memory_check to false`,
      ),
    });
    t.throws(() => requireReserve([space('GPU0', 0)], backend, { ...ADVICE, contexts: 1 }), {
      message: /Do one of these: set engine\.cells/,
    });
    t.end();
  });
}

test('memory after the first waves: RAM is not compared', async (t) => {
  t.doesNotThrow(() => requireReserve([space('', 0)], 'cuda', ADVICE));
  t.doesNotThrow(() => requireReserve([], 'cuda', ADVICE));
});

test('the memory of GPUs that report none is not known, and no other device is asked', async (t) => {
  const asked: string[] = [];
  const addon = {
    deviceMemory(device: string) {
      asked.push(device);
      return device === 'GPU0' ? { free: 1, total: 2 } : { free: 0, total: 0 };
    },
  };
  const spaces = memorySpaces(addon, ['', 'GPU0', 'GPU1'], false);
  t.strictSame(asked, ['GPU0', 'GPU1']);
  t.strictSame(spaces.slice(1), [{ device: 'GPU0', free: 1, total: 2 }]);
  t.equal(memorySpaces(addon, ['GPU0'], true)[1]?.free, 2);
});
