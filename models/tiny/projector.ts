import { ggufPieces, type MetadataValue, type Tensor } from './gguf.js';
import { uniform } from './random.js';
import { spread } from './tensors.js';

/** The kinds of projector that Gemma-4 models come with. */
export type ProjectorKind = 'gemma4v' | 'gemma4uv';

/** The shape and contents of a random projector; every part but the kind has a default. */
export interface TinyProjectorOptions {
  /** `gemma4v`: a transformer over patches, pooled; `gemma4uv`: one linear layer over whole tokens' pixels. */
  readonly kind: ProjectorKind;
  /** Gives the weights: the same seed and shape, the same file. */
  readonly seed?: number;
  /** Numbers of an embedding: those of the model that reads it. */
  readonly width?: number;
}

const WIDTH = 64;
const HEADS = 2;
const FEED_FORWARD = 128;
const LAYERS = 2;
const PATCH_SIZE = 16;
const CHANNELS = 3;
/** Patches per side of a token. */
const MERGE = 3;
/** Most patches of a side: of 280 tokens the longest image of the contract has 39 × 3. */
const POSITIONS = 128;
const POSITION_GAIN = 0.5;
/** On queries and on keys: attention selects, yet no patch takes it all. */
const ATTENTION_GAIN = 0.4;

/** The file of a random projector, piece by piece. */
export function projectorPieces(options: TinyProjectorOptions): Generator<Buffer> {
  const shape = { seed: 1, width: WIDTH, ...options };
  const tensors = options.kind === 'gemma4v' ? transformerTensors(shape) : linearTensors(shape);
  return ggufPieces(metadata(shape), tensors);
}

type Shape = Required<TinyProjectorOptions>;

function metadata({ kind, width }: Shape): Record<string, MetadataValue> {
  const layers = kind === 'gemma4v' ? LAYERS : 0;
  return {
    'general.architecture': { type: 'string', value: 'clip' },
    'general.type': { type: 'string', value: 'mmproj' },
    'general.file_type': { type: 'uint32', value: 1 },
    'clip.has_vision_encoder': { type: 'bool', value: true },
    'clip.projector_type': { type: 'string', value: kind },
    'clip.use_gelu': { type: 'bool', value: true },
    'clip.vision.image_size': { type: 'uint32', value: 224 },
    'clip.vision.patch_size': { type: 'uint32', value: PATCH_SIZE },
    'clip.vision.embedding_length': { type: 'uint32', value: WIDTH },
    'clip.vision.feed_forward_length': { type: 'uint32', value: layers === 0 ? 0 : FEED_FORWARD },
    'clip.vision.block_count': { type: 'uint32', value: layers },
    'clip.vision.projection_dim': { type: 'uint32', value: width },
    'clip.vision.attention.head_count': { type: 'uint32', value: layers === 0 ? 0 : HEADS },
    'clip.vision.attention.layer_norm_epsilon': { type: 'float32', value: 1e-6 },
    'clip.vision.image_mean': { array: 'float32', value: [0, 0, 0] },
    'clip.vision.image_std': { array: 'float32', value: [1, 1, 1] },
  };
}

function transformerTensors(shape: Shape): Tensor[] {
  const pixels = PATCH_SIZE * PATCH_SIZE * CHANNELS;
  return [
    random(shape, 'v.patch_embd.weight', [PATCH_SIZE, PATCH_SIZE, CHANNELS, WIDTH], spread(pixels), 'f16'),
    positions(shape, POSITIONS),
    ...Array.from({ length: LAYERS }, (_, layer) => layerTensors(shape, `v.blk.${layer}.`)).flat(),
    matrix(shape, 'mm.input_projection.weight', WIDTH, shape.width),
  ];
}

function layerTensors(shape: Shape, layer: string): Tensor[] {
  const weights = (part: string, inputs: number, outputs: number) =>
    matrix(shape, `${layer}${part}.weight`, inputs, outputs);
  const norm = (part: string, length: number, value = 1) => constant(`${layer}${part}.weight`, length, value);
  return [
    norm('ln1', WIDTH),
    weights('attn_q', WIDTH, WIDTH),
    weights('attn_k', WIDTH, WIDTH),
    weights('attn_v', WIDTH, WIDTH),
    weights('attn_out', WIDTH, WIDTH),
    norm('attn_q_norm', WIDTH / HEADS, ATTENTION_GAIN),
    norm('attn_k_norm', WIDTH / HEADS, ATTENTION_GAIN),
    norm('attn_post_norm', WIDTH),
    norm('ln2', WIDTH),
    weights('ffn_gate', WIDTH, FEED_FORWARD),
    weights('ffn_up', WIDTH, FEED_FORWARD),
    weights('ffn_down', FEED_FORWARD, WIDTH),
    norm('ffn_post_norm', WIDTH),
  ];
}

function linearTensors(shape: Shape): Tensor[] {
  const pixels = (PATCH_SIZE * MERGE) ** 2 * CHANNELS;
  const norm = (place: number, length: number) => [
    constant(`v.patch_norm.${place}.weight`, length, 1),
    constant(`v.patch_norm.${place}.bias`, length, 0),
  ];
  return [
    matrix(shape, 'v.patch_embd.weight', pixels, WIDTH),
    random(shape, 'v.patch_embd.bias', [WIDTH], 1, 'f32'),
    positions(shape, POSITIONS),
    ...norm(1, pixels),
    ...norm(2, WIDTH),
    ...norm(3, WIDTH),
    matrix(shape, 'mm.input_projection.weight', WIDTH, shape.width),
  ];
}

/** One table for columns, one for rows. */
function positions(shape: Shape, count: number): Tensor {
  return random(shape, 'v.position_embd.weight', [WIDTH, count, 2], POSITION_GAIN, 'f32');
}

function matrix(shape: Shape, name: string, inputs: number, outputs: number): Tensor {
  return random(shape, name, [inputs, outputs], spread(inputs), 'f16');
}

function random({ seed }: Shape, name: string, shape: number[], scale: number, type: Tensor['type']): Tensor {
  const fill = () => {
    const next = uniform(seed, name);
    return new Float32Array(shape.reduce((product, size) => product * size, 1)).map(() => next() * scale);
  };
  return { name, shape, type, fill };
}

function constant(name: string, length: number, value: number): Tensor {
  return { name, shape: [length], type: 'f32', fill: () => new Float32Array(length).fill(value) };
}
