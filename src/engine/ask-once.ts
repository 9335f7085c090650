import type { Addon } from './addon/index.js';
import {
  ContextState,
  Dispatcher,
  Embeddings,
  type Entry,
  EXACT,
  noEmbeddings,
  settle,
} from './dispatcher/index.js';
import { type OpenModel, openProjector } from './models/index.js';
import {
  contextOptions,
  NO_ENCODER,
  type Plan,
  type PlanLogits,
  runWave,
  type WaveBounds,
} from './wave/index.js';

/** Answers one plan on a context made for it, on the calling thread, exact: for a check, not for serving. */
export function askOnce(
  addon: Addon,
  model: OpenModel,
  plan: Plan,
  bounds: WaveBounds,
  threads: number,
  device = '',
): PlanLogits {
  const { projector } = model.build;
  const opened = projector === null ? null : openProjector(addon, model, projector, device, threads);
  const context = addon.createContext(model.handle, contextOptions(bounds, threads));
  const nobodyCancels = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const dispatcher = new Dispatcher<Entry>({ queueMax: 1 });
  const embeddings = model.images === null ? noEmbeddings() : new Embeddings(model.images, 0);
  const state = new ContextState<Entry>(bounds, EXACT, embeddings);
  dispatcher.add({ plan, dropped: false }, 'live');
  try {
    for (;;) {
      const wave = dispatcher.fill(state);
      if (wave === null) throw new Error('the plan was not answered');
      const results = runWave(context, wave.task, bounds, nobodyCancels, opened ?? NO_ENCODER);
      const [answered] = settle(wave, results);
      if (answered !== undefined) return answered.logits;
    }
  } finally {
    context.close();
    opened?.close();
  }
}
