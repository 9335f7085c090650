import type { Addon } from './addon/index.js';
import { ContextState, Dispatcher, type Entry, EXACT, settle } from './dispatcher/index.js';
import type { OpenModel } from './models/index.js';
import { contextOptions, type Plan, type PlanLogits, runWave, type WaveBounds } from './wave/index.js';

/** Answers one plan on a context made for it, on the calling thread, exact: for a check, not for serving. */
export function askOnce(
  addon: Addon,
  model: OpenModel,
  plan: Plan,
  bounds: WaveBounds,
  threads: number,
): PlanLogits {
  const context = addon.createContext(model.handle, contextOptions(bounds, threads));
  const nobodyCancels = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const dispatcher = new Dispatcher<Entry>({ queueMax: 1 });
  const state = new ContextState<Entry>(bounds, EXACT);
  dispatcher.add({ plan, dropped: false }, 'live');
  try {
    for (;;) {
      const wave = dispatcher.fill(state);
      if (wave === null) throw new Error('the plan was not answered');
      const [answered] = settle(wave, runWave(context, wave.task, bounds, nobodyCancels));
      if (answered !== undefined) return answered.logits;
    }
  } finally {
    context.close();
  }
}
