import type { MetadataValue } from './gguf.js';
import { CHAT_TEMPLATE } from './template.js';
import type { Vocabulary, VocabularyOptions } from './vocabulary.js';

/** The shape and contents of a random model; every part has a default. */
export interface TinyModelOptions {
  /** Gives the weights: the same seed and shape, the same file. */
  readonly seed?: number;
  readonly name?: string;
  /** The architecture's name, to be changed only for a file that must not load. */
  readonly architecture?: string;
  /** How matrices are stored; vectors are always in single precision, as the engine wants them. */
  readonly type?: 'f32' | 'f16';
  readonly layers?: number;
  /** Every so many layers one attends to the whole context, and the last always; the others to a window. */
  readonly globalEvery?: number;
  readonly width?: number;
  readonly heads?: number;
  readonly keyValueHeads?: number;
  readonly globalKeyValueHeads?: number;
  readonly headSize?: number;
  readonly globalHeadSize?: number;
  /** Whether the global layers use their keys as values, as the largest Gemma-4 does. */
  readonly keysAsValues?: boolean;
  readonly feedForward?: number;
  readonly slidingWindow?: number;
  readonly contextLength?: number;
  /** What differs from the usual vocabulary, or another one. */
  readonly vocabulary?: VocabularyOptions | Vocabulary;
  /** The chat template; `null` leaves it out. */
  readonly chatTemplate?: string | null;
  /** More metadata, or other values for keys that are there. */
  readonly metadata?: Readonly<Record<string, MetadataValue>>;
}

/** Options with every default filled in. */
export type Shape = Required<TinyModelOptions>;

const DEFAULTS: Shape = {
  seed: 1,
  name: 'tiny-gemma4',
  architecture: 'gemma4',
  type: 'f32',
  layers: 6,
  globalEvery: 6,
  width: 64,
  heads: 2,
  keyValueHeads: 1,
  globalKeyValueHeads: 1,
  headSize: 64,
  globalHeadSize: 128,
  keysAsValues: true,
  feedForward: 192,
  slidingWindow: 64,
  contextLength: 131072,
  vocabulary: {},
  chatTemplate: CHAT_TEMPLATE,
  metadata: {},
};

/** Fills in the defaults; refuses a shape on which the engine would abort and not just report an error. */
export function completeShape(options: TinyModelOptions): Shape {
  const shape = { ...DEFAULTS, ...options };
  if (shape.layers < 2 || shape.globalEvery < 2) throw new RangeError('A model needs a layer of each kind.');
  return shape;
}

/** Whether a layer attends to the whole context. */
export function isGlobal(shape: Shape, layer: number): boolean {
  return layer === shape.layers - 1 || layer % shape.globalEvery === shape.globalEvery - 1;
}
