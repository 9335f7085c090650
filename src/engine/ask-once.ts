import type { Addon } from './addon/index.js';
import type { OpenModel } from './models/index.js';
import { contextOptions, type Plan, type PlanLogits, runWave, type WaveBounds } from './wave/index.js';

/** Answers one plan on a context made for it, on the calling thread: for a check, not for serving. */
export function askOnce(
  addon: Addon,
  model: OpenModel,
  plan: Plan,
  bounds: WaveBounds,
  threads: number,
): PlanLogits {
  const context = addon.createContext(model.handle, contextOptions(bounds, threads));
  try {
    const nobodyCancels = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const [logits] = runWave(context, [plan], bounds, nobodyCancels);
    return logits as PlanLogits;
  } finally {
    context.close();
  }
}
