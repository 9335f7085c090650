import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { gemma4Pieces } from './gemma4.js';
import { projectorPieces, type TinyProjectorOptions } from './projector.js';
import type { TinyModelOptions } from './shape.js';

export type { MetadataValue, ScalarType } from './gguf.js';
export type { ProjectorKind, TinyProjectorOptions } from './projector.js';
export {
  RANDOM_MODEL_FILE,
  RANDOM_MODEL_OPTIONS,
  RANDOM_PROJECTOR_FILE,
  RANDOM_PROJECTOR_OPTIONS,
} from './random-model.js';
export type { TinyModelOptions } from './shape.js';
export { CHAT_TEMPLATE } from './template.js';
export {
  SPECIAL_IDS,
  TOKEN_TYPES,
  tinyVocabulary,
  type Vocabulary,
  type VocabularyOptions,
} from './vocabulary.js';

/** A random gemma4 model as the bytes of its file. */
export function tinyModel(options: TinyModelOptions = {}): Buffer {
  return Buffer.concat([...gemma4Pieces(options)]);
}

/** A random projector as the bytes of its file. */
export function tinyProjector(options: TinyProjectorOptions): Buffer {
  return Buffer.concat([...projectorPieces(options)]);
}

/** Writes a random gemma4 model. */
export function writeTinyModel(path: string, options: TinyModelOptions = {}): void {
  writeFileWhole(path, gemma4Pieces(options));
}

/** Writes a random projector. */
export function writeTinyProjector(path: string, options: TinyProjectorOptions): void {
  writeFileWhole(path, projectorPieces(options));
}

/** Writes a file; a reader sees the old one or the whole new one, never a part. */
export function writeFileWhole(path: string, pieces: Iterable<Buffer>): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, 'w');
    try {
      for (const piece of pieces) {
        for (let done = 0; done < piece.length; ) done += writeSync(file, piece, done);
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
