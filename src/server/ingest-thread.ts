// Entry of the thread that reads batch files: a list of tasks, each of which is one call into a room.
import { workerData } from 'node:worker_threads';
import { ThreadPool } from '../base/index.js';
import {
  Blocks,
  type CheckedChunk,
  type ChunkWork,
  type DigestResult,
  type DigestTask,
  digestFile,
  type IngestResult,
  type IngestTask,
  ingest as ingestFile,
} from '../batch/index.js';
import { loadZstd } from '../decide/index.js';
import { Catalog } from '../engine/index.js';
import { type IngestSetup, YOUNG_MEBIBYTES } from './thread-setup.js';

const setup = workerData as IngestSetup;
const { manifest, models, helpers, filesAtOnce } = setup;
const blocks = new Blocks();
const catalog = new Catalog(manifest, models);
// Not in a task: a replacement thread needs it too.
await loadZstd();

/** Turns a batch file as sent into sealed chunks. */
export function ingest(task: IngestTask): Promise<IngestResult> {
  return ingestFile(task, { catalog, blocks, help });
}

let helping: ThreadPool | null = null;

/** The helpers start with the first large file, which is finished before they are ready. */
async function help(work: ChunkWork): Promise<Array<CheckedChunk[] | null>> {
  if (helpers === 0) return [];
  helping ??= new ThreadPool({
    file: new URL('./check-thread.js', import.meta.url),
    threads: helpers,
    tasksPerThread: filesAtOnce,
    data: setup,
    youngMebibytes: YOUNG_MEBIBYTES,
  });
  return helping.runOnAll('check', work);
}

/** Resolves when the thread is ready. */
export function ready(): true {
  return true;
}

/** The digest of a file. */
export function digest(task: DigestTask): DigestResult {
  return digestFile(task);
}
