import type { Addon } from '../addon/addon-types.js';
import type { OpenModel } from '../models/model.js';
import { openProjector } from '../models/projector.js';
import { ContextState, EXACT } from '../scheduler/context-state.js';
import { Embeddings, noEmbeddings } from '../scheduler/embeddings.js';
import { runTogether } from '../scheduler/step.js';
import { NO_ENCODER, runServedWave } from '../wave/run-wave.js';
import type { WaveResult, WaveTask } from '../wave/task.js';
import { contextOptions, type Plan, type PlanLogits, type WaveBounds } from '../wave/wave-types.js';

/**
 * Runs plans one by one in exact mode, on a new context and on this thread: for checks, not for serving. Also throws an
 * Error if a logit or an embedding is not a usable number.
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
  const neverCancelled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  try {
    return plans.map((plan) =>
      answerAlone(plan, model, bounds, (task) =>
        runServedWave(context, task, bounds, neverCancelled, opened ?? NO_ENCODER),
      ),
    );
  } finally {
    context.close();
    opened?.close();
  }
}

/** Runs a plan in exact mode, on a context that nothing else uses. Throws what `run` throws. */
export function answerAlone(
  plan: Plan,
  { images }: Pick<OpenModel, 'images'>,
  bounds: WaveBounds,
  run: (task: WaveTask) => WaveResult,
): PlanLogits {
  const embeddings = images === null ? noEmbeddings() : new Embeddings(images, 0);
  return runTogether([plan], new ContextState(bounds, EXACT, embeddings), run)[0] as PlanLogits;
}
