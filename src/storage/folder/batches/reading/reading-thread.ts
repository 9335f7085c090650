// Entry of the thread that reads stored batches. It has its own LMDB environment: a task reads what was committed when
// it began.
import { workerData } from 'node:worker_threads';
import { openStore } from '../../lmdb/format.js';
import { type ReadCall, readStored } from './reader.js';

const store = openStore(workerData as string);

/** Reads a piece of results or of a list, or a chunk of lines. */
export function read(call: ReadCall): unknown {
  return readStored(store, call);
}
