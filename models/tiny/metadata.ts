import type { MetadataValue, ScalarType } from './gguf.js';
import { isGlobal, type Shape } from './shape.js';
import { SPECIAL_IDS, type Vocabulary } from './vocabulary.js';

const SOFTCAP = 30;
const EPSILON = 1e-6;
const ROPE_BASE = 1e6;
const WINDOW_ROPE_BASE = 1e4;

/** The whole header of a model: what it is, its sizes, its tokenizer, and what the options add. */
export function modelMetadata(shape: Shape, vocabulary: Vocabulary): Record<string, MetadataValue> {
  const metadata: Record<string, MetadataValue> = {
    'general.architecture': one('string', shape.architecture),
    'general.type': one('string', 'model'),
    'general.name': one('string', shape.name),
    'general.file_type': one('uint32', shape.type === 'f16' ? 1 : 0),
  };
  for (const [key, value] of Object.entries(sizes(shape))) metadata[`${shape.architecture}.${key}`] = value;
  return { ...metadata, ...tokenizer(vocabulary), ...template(shape), ...shape.metadata };
}

function sizes(shape: Shape): Record<string, MetadataValue> {
  const global = Array.from({ length: shape.layers }, (_, layer) => isGlobal(shape, layer));
  const keyValueHeads = global.map((yes) => (yes ? shape.globalKeyValueHeads : shape.keyValueHeads));
  const windowed = global.map((yes) => !yes);
  return {
    context_length: one('uint32', shape.contextLength),
    embedding_length: one('uint32', shape.width),
    block_count: one('uint32', shape.layers),
    feed_forward_length: one('uint32', shape.feedForward),
    embedding_length_per_layer_input: one('uint32', 0),
    final_logit_softcapping: one('float32', SOFTCAP),
    'attention.head_count': one('uint32', shape.heads),
    'attention.head_count_kv': many('int32', keyValueHeads),
    'attention.key_length': one('uint32', shape.globalHeadSize),
    'attention.value_length': one('uint32', shape.globalHeadSize),
    'attention.key_length_swa': one('uint32', shape.headSize),
    'attention.value_length_swa': one('uint32', shape.headSize),
    'attention.layer_norm_rms_epsilon': one('float32', EPSILON),
    'attention.sliding_window': one('uint32', shape.slidingWindow),
    'attention.sliding_window_pattern': many('bool', windowed),
    'attention.shared_kv_layers': one('uint32', 0),
    'rope.freq_base': one('float32', ROPE_BASE),
    'rope.freq_base_swa': one('float32', WINDOW_ROPE_BASE),
    'rope.dimension_count': one('uint32', shape.globalHeadSize),
    'rope.dimension_count_swa': one('uint32', shape.headSize),
  };
}

function tokenizer({ tokens, types, merges }: Vocabulary): Record<string, MetadataValue> {
  return {
    'tokenizer.ggml.model': one('string', 'gemma4'),
    'tokenizer.ggml.tokens': many('string', tokens),
    'tokenizer.ggml.token_type': many('int32', types),
    'tokenizer.ggml.merges': many('string', merges),
    'tokenizer.ggml.bos_token_id': one('uint32', SPECIAL_IDS.bos),
    'tokenizer.ggml.eos_token_id': one('uint32', SPECIAL_IDS.eos),
    'tokenizer.ggml.unknown_token_id': one('uint32', SPECIAL_IDS.unk),
    'tokenizer.ggml.padding_token_id': one('uint32', SPECIAL_IDS.pad),
    'tokenizer.ggml.mask_token_id': one('uint32', SPECIAL_IDS.mask),
    'tokenizer.ggml.add_space_prefix': one('bool', false),
    'tokenizer.ggml.add_bos_token': one('bool', true),
  };
}

function template({ chatTemplate }: Shape): Record<string, MetadataValue> {
  return chatTemplate === null ? {} : { 'tokenizer.chat_template': one('string', chatTemplate) };
}

function one(type: ScalarType, value: number | boolean | string): MetadataValue {
  return { type, value };
}

function many(array: ScalarType, value: readonly (number | boolean | string)[]): MetadataValue {
  return { array, value };
}
