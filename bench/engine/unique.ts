import type { Plan } from '../../src/engine/index.js';
import { longestPrompt } from '../../src/engine/index.js';

/** The tokens an engine cannot do without: every different prefix of the plans once, and every leaf. */
export function uniqueTokens(plans: readonly Plan[]): Int32Array {
  const prefixes = new Map(plans.map((plan) => [plan.prefix.join(), plan.prefix]));
  const parts = [...prefixes.values(), ...plans.flatMap((plan) => plan.leaves.map((leaf) => leaf.tokens))];
  return Int32Array.from(parts.flatMap((part) => [...part]));
}

/** Every question's prompt in full. */
export function fullPrompts(plans: readonly Plan[]): Int32Array[] {
  return plans.flatMap((plan) => plan.leaves.map((leaf) => Int32Array.of(...plan.prefix, ...leaf.tokens)));
}

export function longestOf(plans: readonly Plan[]): number {
  return Math.max(...plans.map(longestPrompt));
}
