import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backend } from '#native/platform.mjs';
import type { TinyModelOptions } from '../../models/tiny/index.js';
import {
  type CatalogBuild,
  COUPLED_PRODUCT_MAX,
  loadAddon,
  type NativeContext,
  type OpenModel,
  openModel,
  type Plan,
  type PlanLogits,
  type Sharing,
} from '../../src/engine/index.js';
import { ContextState } from '../../src/engine/scheduler/context-state.js';
import type { Entry } from '../../src/engine/scheduler/scheduler-types.js';
import { runTogether } from '../../src/engine/scheduler/step.js';
import { type ImageEncoder, runWave } from '../../src/engine/wave/run-wave.js';
import { prefixKey } from '../../src/engine/wave/wave-images.js';
import { contextOptions, type WaveBounds } from '../../src/engine/wave/wave-types.js';
import { smallModelFile } from './tiny.js';

/**
 * The largest |Δp| between answers of models in F32 that should be the same. A GPU adds in an order that depends on what
 * else it computes, and multiplies in TF32: an H100 differed by 2.3e-3 between alone and together.
 */
export const TOLERANCE = process.env.TEST_BACKEND === undefined ? 1e-3 : 5e-3;

export const BOUNDS: WaveBounds = {
  cells: 8_192,
  waveTokens: 2_048,
  microBatchTokens: 512,
  microBatchTokensMin: 64,
  sequences: 64,
};

const loaded = loadAddon((process.env.TEST_BACKEND as Backend | undefined) ?? 'cpu');
/** The real addon: on the CPU, or on another backend if `TEST_BACKEND` names it, as the GPU kit does. */
export const { addon } = loaded;
export const { backend } = loaded;
/** The device of that backend; '' is the CPU. */
export const device = loaded.devices.find(({ gpu }) => gpu)?.name ?? '';

/** A catalogue entry for a file that no manifest names. */
export function buildOf(
  path: string,
  model: Partial<CatalogBuild['model']> = {},
  projector: CatalogBuild['projector'] = null,
): CatalogBuild {
  return {
    id: 'tiny-20260101',
    path,
    sha256: '',
    parts: [],
    temperatures: {},
    calibration: '',
    projector,
    model: {
      id: 'tiny',
      description: 'tiny',
      release_date: null,
      builds: [],
      reads_images: false,
      price_class: 'tiny',
      ...model,
    },
  };
}

let count = 0;

/** Writes a small model into a folder and opens it. */
export function openTiny(
  folder: string,
  options: Partial<TinyModelOptions> = {},
  model: Partial<CatalogBuild['model']> = {},
  projector: CatalogBuild['projector'] = null,
): OpenModel {
  // The addon shares weights by path: another model needs another name.
  count += 1;
  const path = join(folder, `tiny-${count}.gguf`);
  writeFileSync(path, smallModelFile(options));
  return openModel(addon, device, buildOf(path, model, projector));
}

export function openContext(model: OpenModel, bounds: WaveBounds = BOUNDS) {
  return addon.createContext(model.handle, contextOptions(bounds, 1));
}

/** A cancel word that is never set. */
export const never = () => new Int32Array(new SharedArrayBuffer(4));

export function softmaxOf(logits: ArrayLike<number>): number[] {
  const values = Array.from(logits);
  const max = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - max));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((value) => value / sum);
}

/** The largest |Δp| between two answers. */
export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const other = softmaxOf(b);
  return Math.max(...softmaxOf(a).map((p, index) => Math.abs(p - (other[index] as number))));
}

/** Waves that share nothing between them, the form as the engine chooses it. */
export const COLD: Sharing = {
  head: new Int32Array(0),
  idleCellsMax: 0,
  exact: false,
  coupledProductMax: COUPLED_PRODUCT_MAX,
};

/** The two ways in which leaves can follow a prefix. */
export const FORMS = {
  coupled: { ...COLD, coupledProductMax: Number.POSITIVE_INFINITY },
  copied: { ...COLD, coupledProductMax: 0 },
};

/** Runs plans together on a context; `state`: what it holds from earlier calls. Without one, the context is cleared. */
export function answerAll(
  context: NativeContext,
  plans: readonly Plan[],
  sharing: Sharing = COLD,
  bounds: WaveBounds = BOUNDS,
  state?: ContextState<Entry>,
  cancel: Int32Array = never(),
  encoder?: ImageEncoder,
): PlanLogits[] {
  if (state === undefined) context.clear();
  return runTogether(plans, state ?? new ContextState(bounds, sharing), (task) =>
    runWave(context, task, bounds, cancel, encoder),
  );
}

/** A plan whose key is its prefix, as the planner makes it. */
export function planOf(prefix: Int32Array, suffixes: Plan['suffixes'], images: Plan['images'] = []): Plan {
  return { prefix, prefixKey: prefixKey(prefix, images), suffixes, images };
}

/** The largest |Δp| between two plans' answers, suffix by suffix. */
export function planDistance(a: PlanLogits, b: PlanLogits): number {
  return Math.max(...a.map((logits, suffix) => distance(logits, b[suffix] as Float32Array)));
}
