import type { NativeContext } from '../addon/index.js';
import { buildDecodes } from './decodes.js';
import type { WaveResult, WaveTask } from './task.js';
import type { WaveBounds } from './types.js';

/**
 * Runs a wave on a context. `cancel` as NativeContext.decode; throws its errors, and the context is then
 * empty: whoever planned the wave must forget what it held.
 */
export function runWave(
  context: NativeContext,
  task: WaveTask,
  bounds: WaveBounds,
  cancel: Int32Array,
): WaveResult {
  const results: Float32Array[] = [];
  try {
    if (task.clear) context.clear();
    for (const phase of task.phases) {
      for (const sequence of phase.removals) context.removeSequence(sequence);
      for (const { from, to } of phase.copies) context.copySequence(from, to);
      for (const { batch, padded } of buildDecodes(phase.streams, bounds)) {
        const logits = context.decode(batch, cancel);
        for (let slot = 0; slot < batch.slots.length; slot++) {
          results.push(logits.slice(batch.optionOffsets[slot], batch.optionOffsets[slot + 1]));
        }
        if (padded) context.removeSequence(bounds.sequences);
      }
    }
    for (const sequence of task.removals) context.removeSequence(sequence);
  } catch (error) {
    context.clear();
    throw error;
  }
  return results;
}
