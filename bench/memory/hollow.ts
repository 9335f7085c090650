import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { ggufHeader, type Tensor, type TensorHead } from '../../models/tiny/gguf.js';
import { type TinyModelOptions, tinyVocabulary, type Vocabulary } from '../../models/tiny/index.js';
import { modelMetadata } from '../../models/tiny/metadata.js';
import { completeShape } from '../../models/tiny/shape.js';
import { modelTensors } from '../../models/tiny/tensors.js';

/** How the matrices of a model are stored; `Q4_K_M` is the mix that llama.cpp's quantizer makes. */
export type Quantization = 'BF16' | 'Q8_0' | 'Q4_K_M';

const VOCABULARY_TOKENS = 262_144;

/** Dimensions of Gemma-4 models. */
export const SHAPES: Readonly<Record<'12B' | '31B', TinyModelOptions>> = {
  /** 11.95 billion parameters. */
  '12B': {
    layers: 48,
    width: 3_840,
    heads: 16,
    keyValueHeads: 8,
    globalKeyValueHeads: 4,
    headSize: 256,
    globalHeadSize: 512,
    feedForward: 15_360,
    slidingWindow: 1_024,
  },
  /** 30.7 billion parameters. */
  '31B': {
    layers: 60,
    width: 5_376,
    heads: 32,
    keyValueHeads: 16,
    globalKeyValueHeads: 4,
    headSize: 256,
    globalHeadSize: 512,
    feedForward: 21_504,
    slidingWindow: 1_024,
  },
};

/**
 * Writes a model without weights: a header as of the real file, and a hole in place of the data, which takes no space on
 * the disk. Its memory can be estimated; loading it would read zeros. Returns the size of the real file in bytes.
 */
export function writeHollowModel(
  path: string,
  options: TinyModelOptions,
  quantization: Quantization,
): number {
  const { header, dataBytes } = publishedParts(options, quantization);
  const file = openSync(path, 'w');
  try {
    writeSync(file, header);
    ftruncateSync(file, header.length + dataBytes);
  } finally {
    closeSync(file);
  }
  return header.length + dataBytes;
}

/** The header of a model with a vocabulary of full size, and its tensors with the types they are stored in. */
export function publishedParts(options: TinyModelOptions, quantization: Quantization) {
  const shape = completeShape(options);
  const vocabulary = fullVocabulary();
  const contents = modelTensors(shape, vocabulary.tokens.length);
  const heads = contents.map((tensor) => stored(tensor, shape.layers, quantization));
  return { ...ggufHeader(modelMetadata(shape, vocabulary), heads), heads, contents };
}

function fullVocabulary(): Vocabulary {
  const { tokens, types, merges } = tinyVocabulary();
  const more = Array.from({ length: VOCABULARY_TOKENS - tokens.length }, (_, index) => `<filler${index}>`);
  return { tokens: [...tokens, ...more], types: [...types, ...more.map(() => 1)], merges };
}

function stored({ name, shape }: Tensor, layers: number, quantization: Quantization): TensorHead {
  // Vectors keep single precision.
  if (shape.length === 1) return { name, shape, type: 'f32' };
  if (quantization === 'BF16') return { name, shape, type: 'bf16' };
  if (quantization === 'Q8_0') return { name, shape, type: 'q8_0' };
  return { name, shape, type: usesMoreBits(name, layers) ? 'q6_K' : 'q4_K' };
}

/** The tensors that llama.cpp's `Q4_K_M` stores as Q6_K: `llama_tensor_get_type` in llama-quant.cpp. */
function usesMoreBits(name: string, layers: number): boolean {
  if (name === 'token_embd.weight') return true;
  const [, layer, part] = /^blk\.(\d+)\.(\w+)\.weight$/.exec(name) ?? [];
  if (part !== 'attn_v' && part !== 'ffn_down') return false;
  const [at, eighth] = [Number(layer), Math.floor(layers / 8)];
  return at < eighth || at >= Math.floor((7 * layers) / 8) || (at - eighth) % 3 === 2;
}
