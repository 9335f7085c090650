// The entry of the thread that reads what is stored of batches: a task is one call into a room. It has an environment
// of its own: what has been committed when a task begins is what it reads.
import { workerData } from 'node:worker_threads';
import { type ReadCall, readStored } from '../batch/index.js';
import { openStore } from '../store/index.js';

const store = openStore(workerData as string);

/** A piece of results or of a list, or a chunk of lines. */
export function read(call: ReadCall): unknown {
  return readStored(store, call);
}

/** Answers when the environment is open. */
export function ready(): true {
  return true;
}
