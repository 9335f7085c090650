import type { Addon } from '../addon/addon-types.js';
import type { OpenModel } from '../models/model.js';
import { openProjector } from '../models/projector.js';
import { ContextState, EXACT } from '../scheduler/context-state.js';
import { Embeddings, noEmbeddings } from '../scheduler/embeddings.js';
import { runTogether } from '../scheduler/step.js';
import { type ImageEncoder, NO_ENCODER, runWave } from '../wave/run-wave.js';
import { contextOptions, type Plan, type PlanLogits, type WaveBounds } from '../wave/wave-types.js';

/** Why a file is refused. */
const NOT_NUMBERS = 'its output is not a number; its weights or metadata are damaged';

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
  const encoder = opened === null ? NO_ENCODER : inspected(opened);
  const neverCancelled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const embeddings = model.images === null ? noEmbeddings() : new Embeddings(model.images, 0);
  const state = new ContextState(bounds, EXACT, embeddings);
  try {
    return plans.map((plan) => {
      const [logits] = runTogether([plan], state, (task) =>
        runWave(context, task, bounds, neverCancelled, encoder),
      );
      return requireNumbers(logits as PlanLogits);
    });
  } finally {
    context.close();
    opened?.close();
  }
}

function requireNumbers(logits: PlanLogits): PlanLogits {
  if (logits.every((each) => each.every(Number.isFinite))) return logits;
  throw new Error(NOT_NUMBERS);
}

/** Largest value of an embedding: the squares of larger ones overflow, and a norm then turns them into zeros. */
const EMBEDDING_MAX = 1e18;

/** Rejects unusable embeddings. llama.cpp's clamps turn NaN into the largest float. */
function inspected(encoder: ImageEncoder): ImageEncoder {
  return {
    ...encoder,
    encode(pixels, out) {
      encoder.encode(pixels, out);
      if (!out.every((value) => Math.abs(value) < EMBEDDING_MAX)) throw new Error(NOT_NUMBERS);
    },
  };
}
