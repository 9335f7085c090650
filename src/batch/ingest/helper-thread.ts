// Entry of a thread that helps to check large batch files.
import { workerData } from 'node:worker_threads';
import { Catalog } from '../../engine/index.js';
import { type CheckedChunk, type ChunkWork, checkChunks } from './check-chunks.js';
import type { IngestSetup } from './thread-setup.js';

const { manifest, models } = workerData as IngestSetup;
const catalog = new Catalog(manifest, models);

/** Checks a share of a file. */
export function check(work: ChunkWork): Promise<CheckedChunk[] | null> {
  return checkChunks(work, catalog);
}
