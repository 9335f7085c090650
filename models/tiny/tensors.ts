import type { Tensor } from './gguf.js';
import { uniform } from './random.js';
import { isGlobal, type Shape } from './shape.js';

/** By how much the rotation of a global head's unrotated dimensions is slowed down: to nothing. */
const UNROTATED = 1e30;
/** Only a quarter of a global head's dimensions is rotated. */
const ROTATED_PART = 1 / 4;
/** On queries and on keys: attention selects, yet no token takes it all. */
const ATTENTION_GAIN = 0.4;
/** Spreads the logits: options differ clearly and none is certain. */
const OUTPUT_GAIN = 1;

/** All tensors of a model with a vocabulary of this many tokens, the output tied to the embedding. */
export function modelTensors(shape: Shape, tokens: number): Tensor[] {
  return [
    matrix(shape, 'token_embd.weight', shape.width, tokens),
    constant('output_norm.weight', shape.width, OUTPUT_GAIN),
    rotation(shape.globalHeadSize / 2),
    ...Array.from({ length: shape.layers }, (_, layer) => layerTensors(shape, layer)).flat(),
  ];
}

function layerTensors(shape: Shape, layer: number): Tensor[] {
  const { width, heads, feedForward } = shape;
  const global = isGlobal(shape, layer);
  const size = global ? shape.globalHeadSize : shape.headSize;
  const values = size * (global ? shape.globalKeyValueHeads : shape.keyValueHeads);
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  const weights = (part: string, inputs: number, outputs: number) =>
    matrix(shape, name(part), inputs, outputs);
  const norm = (part: string, length: number, gain = 1) => constant(name(part), length, gain);
  return [
    norm('attn_norm', width),
    weights('attn_q', width, size * heads),
    weights('attn_k', width, values),
    ...(global && shape.keysAsValues ? [] : [weights('attn_v', width, values)]),
    weights('attn_output', size * heads, width),
    norm('attn_q_norm', size, ATTENTION_GAIN),
    norm('attn_k_norm', size, ATTENTION_GAIN),
    norm('post_attention_norm', width),
    norm('layer_output_scale', 1),
    norm('ffn_norm', width),
    weights('ffn_gate', width, feedForward),
    weights('ffn_up', width, feedForward),
    weights('ffn_down', feedForward, width),
    norm('post_ffw_norm', width),
  ];
}

function matrix({ seed, type }: Shape, name: string, inputs: number, outputs: number): Tensor {
  const fill = () => {
    const next = uniform(seed, name);
    const scale = spread(inputs);
    return new Float32Array(inputs * outputs).map(() => next() * scale);
  };
  return { name, shape: [inputs, outputs], type, fill };
}

function constant(name: string, length: number, value: number): Tensor {
  return vector(name, new Array<number>(length).fill(value));
}

function rotation(pairs: number): Tensor {
  const values = Array.from({ length: pairs }, (_, pair) => (pair < pairs * ROTATED_PART ? 1 : UNROTATED));
  return vector('rope_freqs.weight', values);
}

/** Vectors stay in single precision whatever the matrices are in: the engine adds and multiplies them so. */
function vector(name: string, values: readonly number[]): Tensor {
  return { name, shape: [values.length], type: 'f32', fill: () => Float32Array.from(values) };
}

/** How far from zero weights go so that a sum over `inputs` of them keeps its size; exact in binary. */
export function spread(inputs: number): number {
  let scale = 1.75;
  for (let room = inputs; room > 1; room /= 4) scale /= 2;
  return scale;
}
