// The entry of an engine thread: one llama.cpp context, one wave at a time.
import { parentPort, workerData } from 'node:worker_threads';
import { loadAddon } from '../addon/index.js';
import { openModel, openProjector } from '../models/index.js';
import { contextOptions, NO_ENCODER, runWave, type WaveResult, type WaveTask } from '../wave/index.js';
import type { Introduction, LoadProgress, WorkerSetup } from './messages.js';

const setup = workerData as WorkerSetup;
const { addon } = loadAddon(setup.backend);
const model = openModel(addon, setup.device, setup.build, {
  images: setup.images,
  onProgress: (loaded) => {
    parentPort?.postMessage({ loaded } satisfies LoadProgress);
    return Atomics.load(setup.cancel, 0) === 0;
  },
});
const encoder = openEncoder();
const context = addon.createContext(model.handle, contextOptions(setup.bounds, setup.threads));

/** Runs one wave. Throws the addon's errors; the context is then empty. */
export function wave(task: WaveTask): WaveResult {
  return runWave(context, task, setup.bounds, setup.cancel, encoder);
}

/** Answers when the context is there. */
export function introduce(): Introduction {
  return { head: model.profile.head(), images: model.images };
}

function openEncoder() {
  const { projector } = setup.build;
  return projector === null
    ? NO_ENCODER
    : openProjector(addon, model, projector, setup.device, setup.threads);
}
