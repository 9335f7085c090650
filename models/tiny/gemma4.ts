import { ggufPieces } from './gguf.js';
import { modelMetadata } from './metadata.js';
import { completeShape, type TinyModelOptions } from './shape.js';
import { modelTensors } from './tensors.js';
import { tinyVocabulary } from './vocabulary.js';

/** The file of a random gemma4 model, piece by piece. */
export function gemma4Pieces(options: TinyModelOptions): Generator<Buffer> {
  const shape = completeShape(options);
  const vocabulary = 'tokens' in shape.vocabulary ? shape.vocabulary : tinyVocabulary(shape.vocabulary);
  return ggufPieces(modelMetadata(shape, vocabulary), modelTensors(shape, vocabulary.tokens.length));
}
