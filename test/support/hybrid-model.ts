import { ggufPieces, type MetadataValue, type Tensor } from '../../models/tiny/gguf.js';
import { modelMetadata } from '../../models/tiny/metadata.js';
import { uniform } from '../../models/tiny/random.js';
import { completeShape } from '../../models/tiny/shape.js';
import { tinyVocabulary } from '../../models/tiny/vocabulary.js';

const LAYERS = 4;
/** Every fourth layer attends, the others are recurrent, as in the models of Qwen3.5. */
const ATTENTION_EVERY = 4;
const WIDTH = 64;
const FEED_FORWARD = 128;
const [HEADS, KEY_VALUE_HEADS, HEAD_SIZE] = [2, 1, 64];
/** Of the recurrent layers. */
const [STATE_HEADS, STATE_SIZE, KERNEL] = [2, 32, 4];

/** A small random model of the architecture `qwen35`, whose recurrent layers keep a state of each sequence. */
export function hybridModel(): Buffer {
  const vocabulary = tinyVocabulary();
  const usual = Object.entries(modelMetadata(completeShape({}), vocabulary));
  const metadata = {
    ...Object.fromEntries(usual.filter(([key]) => /^(general|tokenizer)\./.test(key))),
    'general.architecture': { type: 'string', value: 'qwen35' } as const,
    ...sizes(),
  };
  const layers = Array.from({ length: LAYERS }, (_, layer) => layerTensors(layer)).flat();
  const tensors = [
    matrix('token_embd.weight', [WIDTH, vocabulary.tokens.length], 0.5),
    constant('output_norm.weight', WIDTH),
    ...layers,
  ];
  return Buffer.concat([...ggufPieces(metadata, tensors)]);
}

function sizes(): Record<string, MetadataValue> {
  const whole = {
    context_length: 65_536,
    embedding_length: WIDTH,
    block_count: LAYERS,
    feed_forward_length: FEED_FORWARD,
    full_attention_interval: ATTENTION_EVERY,
    'attention.head_count': HEADS,
    'attention.head_count_kv': KEY_VALUE_HEADS,
    'attention.key_length': HEAD_SIZE,
    'attention.value_length': HEAD_SIZE,
    'rope.dimension_count': HEAD_SIZE / 2,
    'ssm.conv_kernel': KERNEL,
    'ssm.inner_size': STATE_SIZE * STATE_HEADS,
    'ssm.state_size': STATE_SIZE,
    'ssm.time_step_rank': STATE_HEADS,
    'ssm.group_count': STATE_HEADS,
  };
  const all: Array<[string, MetadataValue]> = Object.entries(whole).map(([key, value]) => [
    `qwen35.${key}`,
    { type: 'uint32', value },
  ]);
  return {
    ...Object.fromEntries(all),
    'qwen35.attention.layer_norm_rms_epsilon': { type: 'float32', value: 1e-6 },
    'qwen35.rope.freq_base': { type: 'float32', value: 1e6 },
    'qwen35.rope.dimension_sections': { array: 'int32', value: [8, 4, 4, 0] },
  };
}

function layerTensors(layer: number): Tensor[] {
  const name = (part: string) => `blk.${layer}.${part}`;
  const weights = (part: string, inputs: number, outputs: number) =>
    matrix(name(`${part}.weight`), [inputs, outputs]);
  const norm = (part: string, length: number) => constant(name(`${part}.weight`), length);
  const attends = (layer + 1) % ATTENTION_EVERY === 0;
  return [
    norm('attn_norm', WIDTH),
    norm('post_attention_norm', WIDTH),
    ...(attends ? attention(weights, norm) : recurrent(weights, norm, name)),
    weights('ffn_gate', WIDTH, FEED_FORWARD),
    weights('ffn_up', WIDTH, FEED_FORWARD),
    weights('ffn_down', FEED_FORWARD, WIDTH),
  ];
}

type Weights = (part: string, inputs: number, outputs: number) => Tensor;
type Norm = (part: string, length: number) => Tensor;

const attention = (weights: Weights, norm: Norm): Tensor[] => [
  // Queries, and a gate for each.
  weights('attn_q', WIDTH, HEAD_SIZE * HEADS * 2),
  weights('attn_k', WIDTH, HEAD_SIZE * KEY_VALUE_HEADS),
  weights('attn_v', WIDTH, HEAD_SIZE * KEY_VALUE_HEADS),
  weights('attn_output', HEAD_SIZE * HEADS, WIDTH),
  norm('attn_q_norm', HEAD_SIZE),
  norm('attn_k_norm', HEAD_SIZE),
];

function recurrent(weights: Weights, norm: Norm, name: (part: string) => string): Tensor[] {
  const values = STATE_SIZE * STATE_HEADS;
  return [
    weights('attn_qkv', WIDTH, 3 * values),
    weights('attn_gate', WIDTH, values),
    matrix(name('ssm_conv1d.weight'), [KERNEL, 3 * values], 0.5),
    constant(name('ssm_dt.bias'), STATE_HEADS, 0.1),
    constant(name('ssm_a'), STATE_HEADS, -0.3),
    weights('ssm_beta', WIDTH, STATE_HEADS),
    weights('ssm_alpha', WIDTH, STATE_HEADS),
    norm('ssm_norm', STATE_SIZE),
    weights('ssm_out', values, WIDTH),
  ];
}

function matrix(name: string, shape: readonly [number, number], scale = 0.12): Tensor {
  const fill = () => {
    const next = uniform(1, name);
    return new Float32Array(shape[0] * shape[1]).map(() => next() * scale);
  };
  return { name, shape, type: 'f32', fill };
}

function constant(name: string, length: number, value = 1): Tensor {
  return { name, shape: [length], type: 'f32', fill: () => new Float32Array(length).fill(value) };
}
