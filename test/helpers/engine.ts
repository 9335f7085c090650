import { join } from 'node:path';
import { type TinyModelOptions, writeTinyModel } from '../../models/tiny/index.js';
import { type CatalogBuild, loadAddon, type OpenModel, openModel } from '../../src/engine/index.js';
import { contextOptions, type WaveBounds } from '../../src/engine/wave/index.js';

export const BOUNDS: WaveBounds = {
  cells: 8_192,
  batchTokens: 2_048,
  microBatchTokens: 512,
  microBatchTokensMin: 64,
  sequences: 64,
};

/** The real addon on the CPU. */
export const { addon } = loadAddon('cpu');

/** A catalogue entry for a file that no manifest names. */
export function buildOf(path: string, model: Partial<CatalogBuild['model']> = {}): CatalogBuild {
  return {
    id: 'tiny-20260101',
    path,
    sha256: '',
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

/** Writes a tiny model into a folder and opens it. */
export function openTiny(
  folder: string,
  options: Partial<TinyModelOptions> = {},
  model: Partial<CatalogBuild['model']> = {},
): OpenModel {
  // The addon shares weights by path: another model needs another name.
  count += 1;
  const path = join(folder, `tiny-${count}.gguf`);
  writeTinyModel(path, options);
  return openModel(addon, '', buildOf(path, model));
}

export function openContext(model: OpenModel, bounds: WaveBounds = BOUNDS) {
  return addon.createContext(model.handle, contextOptions(bounds, 1));
}

/** A cancel word that nobody sets. */
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
