// Where the time of a question about an image goes: reading the file (decode, resize), encoding and the wave, measured
// separately, and the share that is not arithmetic of the model. The model has 315M random parameters, the projector is
// tiny.
//
//   npm run bench:images
//   npm run bench:images -- --rounds N
//   npm run bench:images -- --minutes N      about so long, with fewer rounds
//   npm run bench:images -- --small          a model of two layers, to check that the benchmark runs
//   npm run bench:images -- --json FILE      also write {machine, cases: [{case, decode, resize, encode, wave, …}]}
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { type ProjectorKind, writeTinyProjector } from '../models/tiny/index.js';
import { uniform } from '../models/tiny/random.js';
import { usableCores } from '../src/base/index.js';
import {
  type ImageReading,
  imageTokens,
  loadAddon,
  openModel,
  openProjector,
  prefixKey,
} from '../src/engine/index.js';
import { ContextState, EXACT } from '../src/engine/scheduler/context-state.js';
import { Embeddings } from '../src/engine/scheduler/embeddings.js';
import { runTogether } from '../src/engine/scheduler/step.js';
import { runWave } from '../src/engine/wave/run-wave.js';
import { contextOptions } from '../src/engine/wave/wave-types.js';
import { decode } from '../src/images/decode.js';
import { gridTokens, ImageReader } from '../src/images/index.js';
import { type Bitmap, gridSize } from '../src/images/pixels.js';
import { resize } from '../src/images/resize.js';
import { benchmarkModel, smallestModel } from './engine/models.js';
import { CPU_BOUNDS } from './in-process.js';
import { benchOptions } from './options.js';
import { machine, Pace, showNumber, showTimes, table, timesOf, writeJson } from './report.js';

const values = benchOptions({
  rounds: { type: 'string', default: '5' },
  small: { type: 'boolean' },
});
const rounds = Number(values.rounds);
const KINDS: readonly ProjectorKind[] = ['gemma4uv', 'gemma4v'];
const BUDGETS = [70, 140, 280];
const TEXT_TOKENS = 60;

const { addon } = loadAddon('cpu');
const threads = Math.max(1, usableCores() - 1);
const path = values.small === true ? smallestModel() : benchmarkModel('q8_0', addon);
const folder = mkdtempSync(join(tmpdir(), 'decider-bench-'));
const files = await photographs();
const pace = new Pace({ cases: KINDS.length * files.length * BUDGETS.length, minutes: values.minutes });
console.log(`${machine()}; ${threads} threads for the model; at most ${rounds} rounds; ms, median (min)`);
const rows: Record<string, unknown>[] = [];
for (const kind of KINDS) rows.push(...(await measureKind(kind)));
rmSync(folder, { recursive: true });
console.log(
  table(
    [
      'projector, file, budget',
      'tokens',
      'decode',
      'resize',
      'encode',
      'wave, cold',
      'wave, kept',
      'read, kept',
      'not arithmetic',
    ],
    rows.map((row) => row.shown as string[]),
  ),
);
writeJson(values.json, { machine: machine(), cases: rows.map(({ shown: _, ...row }) => row) });

/** Smooth gradients with fine noise, like photographs. */
async function photographs(): Promise<
  ReadonlyArray<readonly [name: string, format: 'jpeg' | 'png', file: Buffer]>
> {
  const next = uniform(1, 'photographs');
  const pixels = (width: number, height: number) => {
    const rgb = Buffer.alloc(width * height * 3);
    for (let i = 0; i < rgb.length; i += 1) rgb[i] = 120 + 80 * Math.sin(i / 9_000) + 30 * next();
    return sharp(rgb, { raw: { width, height, channels: 3 } });
  };
  return [
    ['JPEG 1568 × 1568', 'jpeg', await pixels(1_568, 1_568).jpeg().toBuffer()],
    ['PNG 640 × 480', 'png', await pixels(640, 480).png().toBuffer()],
  ];
}

async function measureKind(kind: ProjectorKind): Promise<Record<string, unknown>[]> {
  const projector = { path: join(folder, `${kind}.gguf`), sha256: '' };
  const description = {
    id: 'bench',
    description: '',
    release_date: null,
    builds: [],
    reads_images: true,
    price_class: '',
  };
  const build = {
    id: 'bench',
    path,
    sha256: '',
    parts: [],
    projector,
    model: description,
    temperatures: {},
    calibration: '',
  };
  const { handle, description: model } = openModel(addon, '', {
    ...build,
    projector: null,
    model: { ...description, reads_images: false },
  });
  writeTinyProjector(projector.path, { kind, width: model.embeddingLength });
  const reader = openModel(addon, '', build);
  const reading = reader.images as ImageReading;
  const encoder = openProjector(addon, reader, projector, '', threads);
  const context = addon.createContext(reader.handle, contextOptions(CPU_BOUNDS, threads));
  const cancel = new Int32Array(new SharedArrayBuffer(4));
  const found: Record<string, unknown>[] = [];
  for (const [name, format, file] of files) {
    for (const tokens of BUDGETS) found.push(await measure(name, format, file, tokens));
  }
  context.close();
  encoder.close();
  addon.closeModel(reader.handle);
  addon.closeModel(handle);
  return found;

  async function measure(name: string, format: 'jpeg' | 'png', file: Buffer, tokens: number) {
    const images = new ImageReader();
    const asset = [{ subject: 'The image', format, data: file, tokens }];
    const [image] = await images.read(asset, reading.side);
    if (image === undefined) throw new Error('the image was not read');
    const write = imageTokens(reading, [gridTokens(image, reading.side)]);
    const text = Int32Array.from({ length: TEXT_TOKENS }, (_, at) => reader.profile.labels[at % 4] as number);
    const prefix = Int32Array.from([...text, ...write(0)]);
    const suffixes = [{ tokens: text, options: reader.profile.labels.slice(0, 4) }];
    const plan = { prefix, prefixKey: prefixKey(prefix, [image]), suffixes, images: [image] };
    const wave = (embeddings: Embeddings) => {
      context.clear();
      const state = new ContextState(CPU_BOUNDS, EXACT, embeddings);
      runTogether([plan], state, (task) => runWave(context, task, CPU_BOUNDS, cancel, encoder));
    };
    const kept = new Embeddings(reading, 1 << 30);
    const embedding = kept.allocate(image);
    encoder.encode(image, embedding);
    kept.add(image.key, embedding);
    const times: Record<string, number[]> = {
      decode: [],
      resize: [],
      encode: [],
      cold: [],
      kept: [],
      read: [],
    };
    const timed = async (what: string, work: () => unknown) => {
      const start = performance.now();
      const result = await work();
      times[what]?.push(performance.now() - start);
      return result;
    };
    for (const _ of pace.rounds(`${kind}, ${name}, ${tokens} tokens`, rounds)) {
      const pixels = (await timed('decode', () => decode(file))) as Bitmap;
      await timed('resize', () => resize(pixels, gridSize(pixels, tokens, reading.side)));
      await timed('encode', () => encoder.encode(image, embedding));
      await timed('cold', () => wave(new Embeddings(reading, 1 << 30)));
      await timed('kept', () => wave(kept));
      await timed('read', () => images.read(asset, reading.side));
    }
    const of = (what: string) => timesOf(times[what] ?? []);
    const reads = of('decode').median + of('resize').median;
    const share = reads / (reads + of('cold').median);
    const row = { case: `${kind}, ${name}, ${tokens}`, tokens: write(0).length };
    return {
      ...row,
      ...Object.fromEntries(Object.keys(times).map((what) => [what, of(what)])),
      share_not_arithmetic: share,
      shown: [
        row.case,
        String(row.tokens),
        ...['decode', 'resize', 'encode', 'cold', 'kept', 'read'].map((what) => showTimes(of(what))),
        `${showNumber(share * 100)} %`,
      ],
    };
  }
}
