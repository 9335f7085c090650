import type { Store } from '../../store/index.js';
import { SealedBatch } from '../sealed-batch.js';
import { type ChunkAnswer, type ChunkTask, chunkAnswer } from './open-chunk.js';

/** Reads and decrypts a chunk of lines. */
export function readChunk(store: Store, { batch, chunk }: ChunkTask): ChunkAnswer {
  return chunkAnswer(() => new SealedBatch(store, batch).lines(chunk));
}
