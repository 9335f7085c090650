// Entry of the thread that reads stored batches: a task is one call into a room. The thread has its own LMDB
// environment: a task reads what was committed when it began.
import { workerData } from 'node:worker_threads';
import { type ReadCall, readStored } from '../batch/index.js';
import { openStore } from '../store/index.js';

const store = openStore(workerData as string);

/** Reads a piece of results or of a list, or a chunk of lines. */
export function read(call: ReadCall): unknown {
  return readStored(store, call);
}

/** Resolves when the environment is open. */
export function ready(): true {
  return true;
}
