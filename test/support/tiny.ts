import { type TinyModelOptions, tinyModel } from '../../models/tiny/index.js';

/**
 * The shape of the model of a test that names no other number of layers: one layer that attends to a window and one that
 * attends to everything. The default of `tinyModel`, six layers, takes three times as long to compute.
 */
const FEWEST_LAYERS = { layers: 2, globalEvery: 2 } as const;

/** The options of a small model. */
export const smallModel = (options: TinyModelOptions = {}): TinyModelOptions =>
  options.layers === undefined ? { ...FEWEST_LAYERS, ...options } : options;

/** The models of this process, by their options: one takes up to 0.1 s of processor time. */
const kept = new Map<string, Buffer>();

/** The file of a small model. It must not be changed. */
export function smallModelFile(options: TinyModelOptions = {}): Buffer {
  const key = JSON.stringify(options, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  const file = kept.get(key) ?? tinyModel(smallModel(options));
  kept.set(key, file);
  return file;
}
