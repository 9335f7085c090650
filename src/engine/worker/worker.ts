// The entry of an engine thread: one llama.cpp context, one wave at a time.
import { parentPort, workerData } from 'node:worker_threads';
import { loadAddon } from '../addon/index.js';
import { openModel } from '../models/index.js';
import { contextOptions, runWave } from '../wave/index.js';
import type { LoadProgress, WaveResult, WaveTask, WorkerSetup } from './messages.js';

const setup = workerData as WorkerSetup;
const { addon } = loadAddon(setup.backend);
const model = openModel(addon, setup.device, setup.build, (loaded) => {
  parentPort?.postMessage({ loaded } satisfies LoadProgress);
});
const context = addon.createContext(model.handle, contextOptions(setup.bounds, setup.threads));

/** Answers one wave; an empty one answers when the context is there. */
export default function wave({ plans }: WaveTask): WaveResult {
  return runWave(context, plans, setup.bounds, setup.cancel);
}
