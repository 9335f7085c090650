// Entry of a thread that helps to check large batch files: a list of tasks, each of which is one call into a room.
import { workerData } from 'node:worker_threads';
import { type CheckedChunk, type ChunkWork, checkChunks } from '../batch/index.js';
import { Catalog } from '../engine/index.js';
import type { IngestSetup } from './thread-setup.js';

const { manifest, models } = workerData as IngestSetup;
const catalog = new Catalog(manifest, models);

/** Checks a share of a file. */
export function check(work: ChunkWork): Promise<CheckedChunk[] | null> {
  return checkChunks(work, catalog);
}
