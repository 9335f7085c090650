// Entry of a thread that helps to check large batch files.
import { workerData } from 'node:worker_threads';
import { Catalog } from '../../engine/index.js';
import { type CheckedChunk, type ChunkWork, checkChunks, type Stopped } from './check-chunks.js';
import { FileTurns } from './file-turns.js';
import type { IngestSetup, WithManifest } from './thread-setup.js';
import { ThreadTurns } from './thread-turns.js';

const { models } = workerData as IngestSetup;
const turns = new ThreadTurns();

/** Checks a share of a file. */
export function check({ task, manifest }: WithManifest<ChunkWork>): Promise<CheckedChunk[] | Stopped> {
  return checkChunks(task, new Catalog(manifest, models), new FileTurns(turns, task));
}
