import type { NativeContext, Pixels } from '../addon/addon-types.js';
import { buildDecodes, type EmbeddingTerms, NO_EMBEDDINGS } from './decodes.js';
import type { WaveResult, WaveTask } from './task.js';
import { requireLogits } from './usable-numbers.js';
import type { WaveBounds } from './wave-types.js';

/** Turns images into embeddings. */
export interface ImageEncoder extends EmbeddingTerms {
  /** Writes an image's embedding to `out`, which has its length. Throws an Error. */
  encode(pixels: Pixels, out: Float32Array): void;
}

/** For models that do not read images. */
export const NO_ENCODER: ImageEncoder = {
  ...NO_EMBEDDINGS,
  encode() {
    throw new Error('the model reads no images');
  },
};

/**
 * Runs a wave on a context. `cancel`: as for NativeContext.decode. Throws its errors; the context is then empty, so its
 * `KvCache` must be reset, and the embeddings of the wave's images must not be used.
 */
export function runWave(
  context: NativeContext,
  task: WaveTask,
  bounds: WaveBounds,
  cancel: Int32Array,
  encoder = NO_ENCODER,
): WaveResult {
  const results: Float32Array[] = [];
  try {
    if (task.clear) context.clear();
    for (const { pixels, embedding } of task.images) if (pixels !== null) encoder.encode(pixels, embedding);
    for (const phase of task.phases) {
      for (const sequence of phase.removals) context.removeSequence(sequence);
      for (const { from, to } of phase.copies) context.copySequence(from, to);
      const first = results.length;
      for (const { batch, answers, padded } of buildDecodes(phase.streams, bounds, task.images, encoder)) {
        const logits = context.decode(batch, cancel);
        answers.forEach((answer, slot) => {
          results[first + answer] = logits.slice(batch.optionOffsets[slot], batch.optionOffsets[slot + 1]);
        });
        if (padded) context.removeSequence(bounds.sequences);
      }
    }
    for (const sequence of task.removals) context.removeSequence(sequence);
  } catch (error) {
    empty(context, cancel);
    throw error;
  }
  return results;
}

/**
 * Runs a wave as `runWave` does, and throws an Error if a logit of an option is not finite. NaN in the cells of one plan can
 * reach the logits of every other one on a GPU, also once those cells are free (see native/source/context.cc), so none of
 * the wave's results can be trusted, and all cells are overwritten.
 */
export function runServedWave(...args: Parameters<typeof runWave>): WaveResult {
  const [context, task, , cancel] = args;
  const results = runWave(...args);
  try {
    requireLogits(task, results);
  } catch (error) {
    empty(context, cancel);
    throw error;
  }
  return results;
}

/**
 * Frees all cells after an error, and overwrites them. Not after a cancelled wave: nothing follows it, and the process waits
 * for it.
 */
function empty(context: NativeContext, cancel: Int32Array): void {
  try {
    if (Atomics.load(cancel, 0) === 0) context.erase();
    else context.clear();
  } catch {
    // A device that has failed fails here again. The error of the wave says that its context must be replaced.
  }
}
