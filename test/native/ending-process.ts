// A process of its own, for ending.test.ts: the main thread and one worker after another ask for llama.cpp's log and
// open a model; workers end by themselves or are terminated.
import { once } from 'node:events';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { RANDOM_MODEL_FILE } from '../../models/tiny/index.js';
import { loadAddon } from '../../src/engine/index.js';
import { ROOT } from '../support/sources.js';

const WORKERS = 4;
const { addon } = loadAddon('cpu');
addon.onLog(() => {});
addon.onLog(() => {});
addon.openModel({ path: join(ROOT, RANDOM_MODEL_FILE), device: '', mapped: true }, () => true);

if (isMainThread) {
  for (let index = 0; index < WORKERS; index += 1) {
    const stays = index % 2 === 0;
    const worker = new Worker(new URL(import.meta.url), { workerData: { stays } });
    const ended = once(worker, 'exit');
    await once(worker, 'message');
    if (stays) await worker.terminate();
    const [code] = await ended;
    console.log(stays ? 'terminated' : `ended with ${code}`);
  }
} else {
  parentPort?.postMessage('ready');
  if (workerData.stays) setInterval(() => {}, 60_000);
}
