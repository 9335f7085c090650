import type { NativeContext } from '../addon/index.js';
import { buildSteps, type Form } from './steps.js';
import type { Plan, PlanLogits, WaveBounds } from './types.js';

/**
 * Answers a wave on a context: builds its steps, runs them, and empties the cache, also after a failure.
 * Returns the logits per plan. `cancel` as NativeContext.decode; throws its errors.
 */
export function runWave(
  context: NativeContext,
  plans: readonly Plan[],
  bounds: WaveBounds,
  cancel: Int32Array,
  form?: Form,
): PlanLogits[] {
  const results = plans.map((plan) => new Array<Float32Array>(plan.leaves.length));
  try {
    for (const step of buildSteps(plans, bounds, form)) {
      if (step.do === 'copy') context.copySequence(step.from, step.to);
      else if (step.do === 'remove') context.removeSequence(step.sequence);
      else {
        const logits = context.decode(step.batch, cancel);
        step.leaves.forEach(({ plan, leaf }, slot) => {
          const { optionOffsets } = step.batch;
          const of = results[plan] as Float32Array[];
          of[leaf] = logits.slice(optionOffsets[slot], optionOffsets[slot + 1]);
        });
      }
    }
  } finally {
    context.clear();
  }
  return results;
}
