// Entry of the thread that reads batch files.
import { workerData } from 'node:worker_threads';
import { ThreadPool } from '../../base/index.js';
import { Catalog } from '../../engine/index.js';
import { Blocks } from './blocks.js';
import type { CheckedChunk, ChunkWork } from './check-chunks.js';
import { type DigestResult, type DigestTask, digestFile } from './digest-file.js';
import { type IngestResult, type IngestTask, ingest as ingestFile } from './ingest.js';
import { type IngestSetup, type WithManifest, YOUNG_MEBIBYTES } from './thread-setup.js';

const setup = workerData as IngestSetup;
const { models, helpers, filesAtOnce } = setup;
const blocks = new Blocks();

/** Turns a batch file as sent into sealed chunks. */
export function ingest({ task, manifest }: WithManifest<IngestTask>): Promise<IngestResult> {
  const catalog = new Catalog(manifest, models);
  return ingestFile(task, { catalog, blocks, help: (work) => help({ task: work, manifest }) });
}

let helping: ThreadPool | null = null;

/** The helpers start with the first large file, which is finished before they are ready. */
async function help(work: WithManifest<ChunkWork>): Promise<Array<CheckedChunk[] | null>> {
  if (helpers === 0) return [];
  helping ??= new ThreadPool({
    file: new URL('./helper-thread.js', import.meta.url),
    threads: helpers,
    tasksPerThread: filesAtOnce,
    data: setup,
    youngMebibytes: YOUNG_MEBIBYTES,
  });
  return helping.runOnAll('check', work);
}

/** The digest of a file. */
export function digest(task: DigestTask): Promise<DigestResult> {
  return digestFile(task);
}
