// Reconciles a data folder, in a thread: it waits for the lock of a server that is stopped in the middle of a commit.
import { parentPort, workerData } from 'node:worker_threads';
import { openToRead, reconcile } from '../../../src/storage/folder/index.js';

const store = openToRead(workerData as string);
const problems = reconcile(store).problems.map((problem) => JSON.stringify(problem));
await store.close();
parentPort?.postMessage(problems);
