// A thread that tells when it starts to decode, and never stops: for the test that ends it there.
import { parentPort, workerData } from 'node:worker_threads';
import { openModel } from '../../../src/engine/index.js';
import { addon, answerAll, buildOf, openContext, planOf } from '../engine.js';

const model = openModel(addon, '', buildOf(workerData as string));
const context = openContext(model);
const plan = planOf(new Int32Array(8_000).fill(300), [
  { tokens: Int32Array.of(400), options: Int32Array.of(500) },
]);
parentPort?.postMessage('decoding');
while (true) answerAll(context, [plan]);
