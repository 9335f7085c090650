import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { type TinyModelOptions, writeTinyModel, writeTinyProjector } from '../../models/tiny/index.js';
import {
  type CatalogBuild,
  deriveSizes,
  estimateBuilds,
  type NativeContext,
  openModel,
  requireMemory,
  requireTotal,
} from '../../src/engine/index.js';
import { addNeeds, estimateMemory, RECORD_BYTES_PER_CELL } from '../../src/engine/memory/estimate-memory.js';
import { CUDA_RESERVE_BYTES, RESERVE_BYTES } from '../../src/engine/memory/gpu-reserve.js';
import { type MemoryNeed, totalOf } from '../../src/engine/memory/memory-types.js';
import type { MemoryPlan } from '../../src/engine/memory/require.js';
import type { SizeSettings } from '../../src/engine/sizes.js';
import { contextOptions } from '../../src/engine/wave/wave-types.js';
import { addon, buildOf, never } from '../support/engine.js';
import { openReader } from '../support/images.js';

const CPU = { backend: 'cpu', devices: [''] } as const;
const SETTINGS: SizeSettings = { cells: 8_192, wave_tokens: 0, sequences: 64, contexts: 0 };
const SMALL: TinyModelOptions = { layers: 2, globalEvery: 2 };

function writeModel(t: Test, options: TinyModelOptions = SMALL): CatalogBuild {
  const path = join(t.testdir(), 'model.gguf');
  writeTinyModel(path, options);
  return buildOf(path);
}

async function estimate(build: CatalogBuild, settings: SizeSettings): Promise<MemoryNeed> {
  const { needs } = await estimateMemory(CPU, build, [deriveSizes(settings, '')]);
  return needs?.[0]?.[0] as MemoryNeed;
}

/** Computes one micro-batch, the largest that the context allows. */
function decodeFull(context: NativeContext, tokens: number, slots: number): void {
  const each = (count: number, value: (index: number) => number) =>
    Int32Array.from({ length: count }, (_, i) => value(i));
  const batch = {
    tokens: each(tokens, () => 5),
    embeddings: null,
    causal: true,
    positions: each(tokens, (index) => Math.floor(index / slots)),
    sequenceOffsets: each(tokens + 1, (index) => index),
    sequences: each(tokens, (index) => index % slots),
    slots: each(slots, (index) => tokens - slots + index),
    optionOffsets: each(slots + 1, (index) => index),
    optionTokens: each(slots, () => 7),
  };
  context.decode(batch, never());
}

const SHAPES: Readonly<Record<string, [TinyModelOptions, SizeSettings]>> = {
  'two layers, default sizes': [SMALL, SETTINGS],
  'four layers of width 256, few cells': [
    { layers: 4, globalEvery: 4, width: 256, heads: 4, feedForward: 1_024, type: 'f16' },
    { ...SETTINGS, cells: 1_024 },
  ],
  'six layers, many cells, short waves, two contexts': [
    { keyValueHeads: 2 },
    { cells: 20_000, wave_tokens: 128, sequences: 16, contexts: 2 },
  ],
};

for (const [name, [options, settings]] of Object.entries(SHAPES)) {
  test(`the estimate is what llama.cpp allocates: ${name}`, async (t) => {
    const build = writeModel(t, options);
    const need = await estimate(build, settings);
    const { bounds, contexts } = deriveSizes(settings, '');
    const model = openModel(addon, '', build);
    const opened = Array.from({ length: contexts }, () =>
      addon.createContext(model.handle, contextOptions(bounds, 1)),
    );
    for (const context of opened) decodeFull(context, bounds.microBatchTokens, bounds.sequences);
    const uses = opened.flatMap((context) => context.memory());
    const sum = (of: (use: (typeof uses)[number]) => number) =>
      uses.reduce((total, use) => total + of(use), 0);
    t.same(
      uses.map(({ device }) => device),
      opened.map(() => ''),
    );
    t.equal(need.weights, uses[0]?.weights);
    t.equal(need.cache, sum(({ cache }) => cache) + RECORD_BYTES_PER_CELL * settings.cells * contexts);
    // A decode can need other buffers than llama.cpp reserves at first.
    const buffers = sum(({ compute, outputs }) => compute + outputs);
    t.ok(Math.abs(need.buffers / buffers - 1) < 0.1, `${need.buffers}, actually ${buffers}`);
    for (const context of opened) context.close();
    addon.closeModel(model.handle);
  });
}

test('a projector counts its weights and the buffers of the largest image', async (t) => {
  for (const kind of ['gemma4v', 'gemma4uv'] as const) {
    const { model } = openReader(t.testdir(), kind);
    const need = await estimate(model.build, SETTINGS);
    const { path } = model.build.projector as { path: string };
    const weights = addon.readProjectorFile(path).sizeBytes;
    t.equal(need.projector, weights + Math.ceil((addon.projectorComputeBytes(path) * 280) / 256));
    t.ok(need.projector > weights);
  }
});

/** The change of settings that a message suggests: `engine.contexts 1 and engine.cells 2048 (12 MB)`. */
function suggestions(message: string): Array<Partial<SizeSettings>> {
  const [, list = ''] = /Settings that fit: (.*?)\. To load/.exec(message) ?? [];
  return list
    .split(', or ')
    .filter((each) => each !== '')
    .map((each) =>
      Object.fromEntries(
        [...each.matchAll(/engine\.(\w+) (\d+)/g)].map(([, name, value]) => [name, Number(value)]),
      ),
    );
}

const refusalOf = (checked: Promise<unknown>): Promise<Error> =>
  checked.then(
    () => new Error('it was not refused'),
    (error: Error) => error,
  );

test('models that need as much as is free are accepted, and with a byte less refused', async (t) => {
  const build = writeModel(t);
  const total = totalOf(await estimate(build, SETTINGS));
  const plan = (free: number): MemoryPlan => ({
    ...CPU,
    settings: SETTINGS,
    spaces: [{ device: '', free, total: free }],
  });
  await t.resolves(requireMemory(plan(total), [build]));
  const refusal = await refusalOf(requireMemory(plan(total - 1), [build]));
  t.match(refusal, { name: 'MemoryError' });
  t.match(
    refusal.message,
    /^tiny-20260101: not enough memory: \d+ MB \(weights \d+ MB, KV cache \d+ MB, buffers \d+ MB\) of RAM needed, \d+ MB free\. Settings that fit: /,
  );
  t.match(refusal.message, /To load it anyway, set engine\.memory_check to false\.$/);
});

test('settings that a refusal suggests fit', async (t) => {
  const build = writeModel(t);
  const settings = { ...SETTINGS, contexts: 2, cells: 65_536 };
  const total = totalOf(await estimate(build, settings));
  const names = new Set<string>();
  for (const share of [0.3, 0.012]) {
    const spaces = [{ device: '', free: total * share, total }];
    const refusal = await refusalOf(requireMemory({ ...CPU, settings, spaces }, [build]));
    const found = suggestions(refusal.message);
    t.ok(found.length > 0, refusal.message);
    for (const change of found) {
      for (const name of Object.keys(change)) names.add(name);
      await requireMemory({ ...CPU, settings: { ...settings, ...change }, spaces }, [build]);
    }
  }
  t.same([...names].sort(), ['cells', 'contexts', 'sequences', 'wave_tokens']);
});

/** A build of 10 GB of weights, 1 KB per cell and 1 KB per token of a wave, on a GPU or in RAM. */
const assumed: NonNullable<MemoryPlan['estimate']> = async ({ devices: [device = ''] }, build, sizes) => ({
  build: build.id,
  needs: sizes.map(({ bounds, contexts }) => [
    {
      device,
      weights: 10e9,
      cache: bounds.cells * contexts * 1e3,
      buffers: bounds.waveTokens * contexts * 1e3,
      projector: 0,
    },
  ]),
  failure: null,
});

test('if the weights alone do not fit, a refusal suggests no settings', async (t) => {
  const spaces = [{ device: '', free: 10e9, total: 10e9 }];
  const plan = { ...CPU, settings: SETTINGS, spaces, estimate: assumed };
  const { message } = await refusalOf(requireMemory(plan, [buildOf('/model.gguf')]));
  t.match(
    message,
    /No settings make it fit\. Use a smaller quantization or a device with more memory\. To load/,
  );
});

test('several models count together', async (t) => {
  const build = buildOf('/model.gguf');
  const spaces = [{ device: '', free: 15e9, total: 15e9 }];
  const plan = { ...CPU, settings: SETTINGS, spaces, estimate: assumed };
  await t.resolves(requireMemory(plan, [build]));
  const { message } = await refusalOf(requireMemory(plan, [build, { ...build, id: 'other-20260101' }]));
  t.match(message, /^tiny-20260101, other-20260101: not enough memory/);
  t.match(message, /Use a smaller quantization, fewer models or a device with more memory/);
});

test('a model with sizes and a device of its own is estimated there, and the refusal says that settings do not apply', async (t) => {
  const build = buildOf('/model.gguf', { engine: { cells: 1_000_000, contexts: 1, devices: ['CUDA1'] } });
  const plan = (free: number): MemoryPlan => ({
    backend: 'cuda',
    devices: ['CUDA0'],
    settings: SETTINGS,
    spaces: ['', 'CUDA0', 'CUDA1'].map((device) => ({
      device,
      free: device === 'CUDA1' ? free : 99e9,
      total: 99e9,
    })),
    estimate: assumed,
  });
  const { needs } = await requireMemory(plan(12e9), [build]);
  t.match(needs, [{ device: 'CUDA1', cache: 1e9 }]);
  t.match(
    (await refusalOf(requireMemory(plan(11e9), [build]))).message,
    /of CUDA1 needed, .* No settings make it fit\. .* The settings do not apply to what engine sets in the manifest for tiny\. To load/,
  );
});

test('a GPU: its default of two contexts counts, and the CPU is suggested if RAM suffices', async (t) => {
  const refusal = (gpu: number, ram: number) =>
    refusalOf(
      requireMemory(
        {
          backend: 'cuda',
          devices: ['CUDA0'],
          settings: { ...SETTINGS, cells: 1_000_000 },
          spaces: [
            { device: '', free: ram, total: ram },
            { device: 'CUDA0', free: gpu, total: gpu },
          ],
          estimate: assumed,
        },
        [buildOf('/model.gguf')],
      ),
    );
  t.match(await refusal(12e9, 12e9), {
    message:
      'tiny-20260101: not enough memory: 12.0 GB (weights 10.0 GB, KV cache 2.0 GB, buffers 5 MB) of CUDA0 needed, 12.0 GB free, of which 806 MB must stay free. Settings that fit: engine.contexts 1 (11.0 GB), or engine.cells 499968 (11.0 GB), or engine.backend cpu (11.0 GB). To load it anyway, set engine.memory_check to false.',
  });
  t.match((await refusal(8e9, 12e9)).message, /Settings that fit: engine\.backend cpu \(11\.0 GB\)\. To/);
  t.match((await refusal(8e9, 8e9)).message, /No settings make it fit\./);
});

for (const [backend, reserve] of [
  ['vulkan', RESERVE_BYTES],
  ['cuda', CUDA_RESERVE_BYTES],
] as const) {
  test(`the reserve of a GPU, with which a server does not start, stays free: ${backend}`, async (t) => {
    const builds = [buildOf('/model.gguf')];
    const plan = (free: number): MemoryPlan => ({
      backend,
      devices: ['GPU0'],
      settings: { ...SETTINGS, cells: 1_000_000, contexts: 1 },
      spaces: [
        { device: '', free: 1e9, total: 1e9 },
        { device: 'GPU0', free, total: 24e9 },
      ],
      estimate: assumed,
    });
    const { needs } = await estimateBuilds(plan(0), builds);
    const enough = totalOf(needs[0] as MemoryNeed) + reserve;
    await t.resolves(requireMemory(plan(enough), builds));
    const { message } = await refusalOf(requireMemory(plan(enough - 1), builds));
    const [, cells = ''] = /Settings that fit: engine\.cells (\d+) /.exec(message) ?? [];
    t.equal(cells, '499968');
    // What fits with 5 % to spare, but not with the reserve, is not suggested.
    t.match(
      (await refusalOf(requireMemory(plan(10e9 + reserve), builds))).message,
      /No settings make it fit/,
    );
  });
}

test('a size that cannot be measured is not suggested', async (t) => {
  const spaces = [{ device: '', free: 1e9, total: 1e9 }];
  const estimate: typeof assumed = async (place, build, sizes, stop) =>
    sizes.length === 1
      ? assumed(place, build, sizes, stop)
      : { build: build.id, needs: null, failure: 'it takes too long' };
  const plan: MemoryPlan = { ...CPU, settings: SETTINGS, spaces, estimate };
  t.match(
    (await refusalOf(requireMemory(plan, [buildOf('/model.gguf')]))).message,
    /No settings make it fit/,
  );
});

test('a GPU that does not report its memory refuses nothing', async (t) => {
  const plan = {
    backend: 'vulkan',
    devices: ['Vulkan0'],
    settings: SETTINGS,
    spaces: [],
    estimate: assumed,
  } as const;
  await t.resolves(requireMemory(plan, [buildOf('/model.gguf')]));
});

test('files larger than RAM and a GPU together are refused; a byte less is not', async (t) => {
  const ram = { device: '', free: 1, total: 64e9 };
  const gpu = { device: 'CUDA0', free: 1, total: 24e9 };
  const cases = [
    [[''], [ram], 64e9, /its files have 64\.0 GB, and this machine has 64\.0 GB of RAM\. /],
    [['CUDA0'], [ram, gpu], 88e9, /this machine has 64\.0 GB of RAM and 24\.0 GB of CUDA0\. /],
  ] as const;
  for (const [devices, spaces, bytes, message] of cases) {
    requireTotal('file', bytes, { devices, spaces });
    t.throws(() => requireTotal('file', bytes + 1, { devices, spaces }), { name: 'MemoryError', message });
  }
  t.doesNotThrow(() => requireTotal('file', 1e15, { devices: ['Vulkan0'], spaces: [ram] }));
});

test('files that cannot be measured are not counted; the check that follows refuses them', async (t) => {
  const folder = t.testdir();
  const damaged = join(folder, 'damaged.gguf');
  writeFileSync(damaged, 'GGUF');
  const hostile = join(folder, 'hostile.gguf');
  writeTinyModel(hostile, { ...SMALL, metadata: { 'gemma4.block_count': { type: 'uint32', value: 0 } } });
  const good = join(folder, 'good.gguf');
  writeTinyModel(good, SMALL);
  const projector = join(folder, 'projector.gguf');
  writeTinyProjector(projector, { kind: 'gemma4v' });
  const builds = [
    buildOf(damaged),
    buildOf(hostile),
    buildOf(folder),
    buildOf(join(folder, 'absent.gguf')),
    buildOf(good, {}, { path: damaged, sha256: '' }),
    buildOf(projector),
  ];
  const { builds: found, needs } = await requireMemory(
    { ...CPU, settings: SETTINGS, spaces: [{ device: '', free: 0, total: 0 }] },
    builds,
  );
  t.same(needs, []);
  for (const { needs, failure } of found) {
    t.equal(needs, null);
    t.match(failure, /^\S+: [^\p{Cc}]+$/u);
  }
});

test('a file that does not exist is not an error of the estimate: the check that follows reports it', async (t) => {
  const path = join(t.testdir(), 'loop.gguf');
  symlinkSync(path, path);
  const estimated = await estimateMemory(CPU, buildOf(path), [deriveSizes(SETTINGS, '')]);
  t.match(estimated, { needs: null, failure: /ELOOP.*loop\.gguf/ });
});

test('a stop ends an estimate', async (t) => {
  const stop = new AbortController();
  stop.abort();
  await t.rejects(estimateMemory(CPU, writeModel(t), [deriveSizes(SETTINGS, '')], stop.signal), {
    name: 'AbortError',
  });
});

test('needs add up by device', async (t) => {
  const need = (device: string, weights: number) => ({ device, weights, cache: 1, buffers: 2, projector: 3 });
  t.same(addNeeds([need('', 5), need('CUDA0', 6), need('', 7)]), [
    { device: '', weights: 12, cache: 2, buffers: 4, projector: 6 },
    need('CUDA0', 6),
  ]);
});
