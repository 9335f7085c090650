// A thread that `endWithParent` starts: ends the process when its parent has ended.
import { workerData } from 'node:worker_threads';

const EVERY_MS = 250;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, EVERY_MS);
