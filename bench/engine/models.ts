import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TinyModelOptions, writeTinyModel } from '../../models/tiny/index.js';
import type { Addon } from '../../src/engine/index.js';
import { SHAPES } from '../memory/hollow.js';
import { progress } from '../report.js';
import { type LargeType, writeLargeModel } from './large.js';

/** The weight type of the benchmark model. */
export type WeightType = 'q8_0' | 'f16' | 'q4_0';

/** 315M parameters in the proportions of a small Gemma. Change the name with the shape: files are cached by name. */
const BENCHMARK: TinyModelOptions = {
  name: 'bench-315m',
  type: 'f16',
  layers: 20,
  globalEvery: 6,
  width: 1_024,
  heads: 4,
  headSize: 256,
  globalHeadSize: 512,
  feedForward: 4_096,
  slidingWindow: 1_024,
};

/** 31M parameters. */
const MEDIUM: TinyModelOptions = {
  name: 'bench-31m',
  type: 'f16',
  layers: 8,
  globalEvery: 4,
  width: 512,
  heads: 4,
  headSize: 128,
  globalHeadSize: 256,
  feedForward: 2_048,
};

/** Enough layers and width for sums to differ; small enough for hundreds of prompts in seconds. */
const FEW_LAYERS: TinyModelOptions = {
  name: 'bench-few-layers',
  layers: 4,
  globalEvery: 4,
  width: 256,
  heads: 4,
  feedForward: 1_024,
};

/** The smallest model that loads. */
const SMALLEST: TinyModelOptions = { name: 'bench-smallest', layers: 2, globalEvery: 2, width: 64 };

const FOLDER = join(tmpdir(), 'decider-bench-models');

/** The file of the benchmark model, generated if missing: half a minute, once per machine. */
export function benchmarkModel(type: WeightType, addon: Pick<Addon, 'quantizeModel'>): string {
  return quantized(BENCHMARK, type, addon);
}

/** A tenth of the benchmark model. */
export function mediumModel(type: WeightType, addon: Pick<Addon, 'quantizeModel'>): string {
  return quantized(MEDIUM, type, addon);
}

function quantized(options: TinyModelOptions, type: WeightType, addon: Pick<Addon, 'quantizeModel'>): string {
  const source = generated({ ...options, type: 'f16' });
  return type === 'f16'
    ? source
    : cached(`${options.name}-${type}`, (to) => addon.quantizeModel(source, to, type));
}

/** One model in several precisions: the same weights, rounded. */
export function fewLayersModel(type: WeightType | 'f32', addon: Pick<Addon, 'quantizeModel'>): string {
  return type === 'f32' ? generated(FEW_LAYERS) : quantized(FEW_LAYERS, type, addon);
}

/** A model with the dimensions of a published one: '12B' or '31B'. Written as fast as the disk takes it. */
export function largeModel(size: string, type: string): string {
  const shape = SHAPES[size as keyof typeof SHAPES];
  if (shape === undefined)
    throw new Error(`--size: ${size} is not one of ${Object.keys(SHAPES).join(', ')}.`);
  const large = LARGE_TYPES[type];
  if (large === undefined)
    throw new Error(`--type: with --size, it is ${Object.keys(LARGE_TYPES).join(' or ')}.`);
  return cached(`bench-${size.toLowerCase()}-${type}`, (to) => writeLargeModel(to, shape, large));
}

const LARGE_TYPES: Readonly<Record<string, LargeType>> = { q8_0: 'Q8_0', bf16: 'BF16' };

export function smallestModel(): string {
  return generated(SMALLEST);
}

/** The smallest model with other weights. */
export function smallestModelOf(type: WeightType, addon: Pick<Addon, 'quantizeModel'>): string {
  return quantized(SMALLEST, type, addon);
}

function generated(options: TinyModelOptions): string {
  return cached(`${options.name}-${options.type ?? 'f32'}`, (to) => writeTinyModel(to, options));
}

function cached(name: string, write: (to: string) => void): string {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${name}.gguf`);
  if (existsSync(file)) return file;
  progress(`generating ${name}.gguf`);
  const unfinished = `${file}.${process.pid}`;
  try {
    write(unfinished);
    renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return file;
}
