// Entry of the thread that reads batch files.
import { workerData } from 'node:worker_threads';
import { entryFile, ThreadPool } from '../../base/index.js';
import { Catalog } from '../../engine/index.js';
import { Blocks } from './blocks.js';
import type { CheckedChunk, ChunkWork, Stopped } from './check-chunks.js';
import { type DigestResult, digestFile } from './digest-file.js';
import { type IngestResult, type IngestTask, ingest as ingestFile } from './ingest.js';
import { type FileRoom, OtherRoom, type SentFile } from './rooms.js';
import { type IngestSetup, type InRoom, type WithManifest, YOUNG_MEBIBYTES } from './thread-setup.js';
import { ThreadTurns } from './thread-turns.js';
import { TasksWanted, type WantedNames } from './wanted-tasks.js';

const setup = workerData as IngestSetup;
const { models, helpers, filesAtOnce } = setup;
const blocks = new Blocks();
const turns = new ThreadTurns();

/** Turns a batch file as sent into sealed chunks. */
export function ingest({
  task,
  manifest,
  room,
}: InRoom<IngestTask> & WithManifest<IngestTask>): Promise<IngestResult | WantedNames | FileRoom> {
  const catalog = new Catalog(manifest, models);
  return ingestFile(
    task,
    { catalog, blocks, turns, help: (work) => help({ task: work, manifest }) },
    room,
  ).catch((error) => (error instanceof TasksWanted ? { wanted: error.names } : roomOf(error)));
}

let helping: ThreadPool | null = null;

/** The helpers start with the first large file, which is finished before they are ready. */
async function help(work: WithManifest<ChunkWork>): Promise<Array<CheckedChunk[] | Stopped>> {
  if (helpers === 0) return [];
  helping ??= new ThreadPool({
    file: entryFile('batch/ingest/helper-thread'),
    threads: helpers,
    tasksPerThread: filesAtOnce,
    data: setup,
    youngMebibytes: YOUNG_MEBIBYTES,
  });
  return helping.runOnAll('check', work);
}

/** The digest of a file. */
export function digest({ task, room }: InRoom<SentFile>): Promise<DigestResult | FileRoom> {
  return digestFile(task, room).catch(roomOf);
}

function roomOf(error: unknown): FileRoom {
  if (error instanceof OtherRoom) return error.room;
  throw error;
}
