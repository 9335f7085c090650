// The entry of the thread that takes batch files in: a list of tasks, each of which is one call into a room.
import { createHash } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { Blocks, type IngestResult, type IngestTask, ingest as ingestFile } from '../batch/index.js';
import { loadZstd } from '../decide/index.js';
import { Catalog, readManifest } from '../engine/index.js';

const models = workerData as string;
const blocks = new Blocks();
const catalog = new Catalog(readManifest(models), models);

// Here and not in a task: a thread that takes the place of another must have it too.
await loadZstd();

/** A batch file as sent to its sealed chunks. */
export function ingest(task: IngestTask): Promise<IngestResult> {
  return ingestFile(task, catalog, blocks);
}

/** Answers when the thread can take a file. */
export function ready(): true {
  return true;
}

/** SHA-256, in hexadecimal. */
export function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
