import type { Addon } from '../addon/index.js';
import {
  ContextState,
  Dispatcher,
  Embeddings,
  type Entry,
  EXACT,
  noEmbeddings,
  settle,
} from '../dispatcher/index.js';
import { type OpenModel, openProjector } from '../models/index.js';
import {
  contextOptions,
  type ImageEncoder,
  NO_ENCODER,
  type Plan,
  type PlanLogits,
  runWave,
  type WaveBounds,
} from '../wave/index.js';

/**
 * Answers plans one after the other, on a context made for them, on the calling thread, exact: for a check, not for
 * serving.
 */
export function askOnce(
  addon: Addon,
  model: OpenModel,
  plans: readonly Plan[],
  bounds: WaveBounds,
  threads: number,
  device: string,
): PlanLogits[] {
  const { projector } = model.build;
  const opened =
    projector === null || model.images === null
      ? null
      : openProjector(addon, model, projector, device, threads);
  const context = addon.createContext(model.handle, contextOptions(bounds, threads));
  const encoder: ImageEncoder = opened ?? NO_ENCODER;
  const nobodyCancels = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const dispatcher = new Dispatcher<Entry>({ queueMax: 1 });
  const embeddings = model.images === null ? noEmbeddings() : new Embeddings(model.images, 0);
  const state = new ContextState<Entry>(bounds, EXACT, embeddings);
  const ask = (plan: Plan): PlanLogits => {
    dispatcher.add({ plan, dropped: false }, 'live');
    for (;;) {
      const wave = dispatcher.fill(state);
      if (wave === null) throw new Error('the plan was not answered');
      const results = runWave(context, wave.task, bounds, nobodyCancels, encoder);
      const [answered] = settle(wave, results);
      if (answered !== undefined) return answered.logits;
    }
  };
  try {
    return plans.map(ask);
  } finally {
    context.close();
    opened?.close();
  }
}
