import { type ChunkAnswer, type ChunkTask, chunkAnswer } from '../../../../batch/index.js';
import type { Store } from '../../lmdb/store.js';
import { SealedBatch } from '../sealed-batch.js';

/** Reads and decrypts a chunk of lines. */
export function readChunk(store: Store, { batch, chunk }: ChunkTask): ChunkAnswer {
  return chunkAnswer(() => new SealedBatch(store, batch).lines(chunk));
}
