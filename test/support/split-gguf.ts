import { ggufPieces } from '../../models/tiny/gguf.js';
import type { TinyModelOptions } from '../../models/tiny/index.js';
import { modelMetadata } from '../../models/tiny/metadata.js';
import { completeShape } from '../../models/tiny/shape.js';
import { modelTensors } from '../../models/tiny/tensors.js';
import { tinyVocabulary } from '../../models/tiny/vocabulary.js';

/**
 * A random gemma4 model as the files of a split GGUF, in the layout of llama.cpp's gguf-split: all metadata in the first
 * file, and in each its number and a share of the tensors.
 */
export function splitTinyModel(count: number, options: Omit<TinyModelOptions, 'vocabulary'> = {}): Buffer[] {
  const shape = completeShape(options);
  const vocabulary = tinyVocabulary();
  const tensors = modelTensors(shape, vocabulary.tokens.length);
  const share = Math.ceil(tensors.length / count);
  return Array.from({ length: count }, (_, at) => {
    const metadata = {
      ...(at === 0 ? modelMetadata(shape, vocabulary) : {}),
      'split.no': { type: 'uint16', value: at },
      'split.count': { type: 'uint16', value: count },
      'split.tensors.count': { type: 'int32', value: tensors.length },
    } as const;
    return Buffer.concat([...ggufPieces(metadata, tensors.slice(at * share, (at + 1) * share))]);
  });
}

/** The name of one file of a split GGUF; `at` counts from 0. */
export function splitName(name: string, at: number, count: number): string {
  const digits = (number: number) => String(number).padStart(5, '0');
  return `${name}-${digits(at + 1)}-of-${digits(count)}.gguf`;
}
