import { longestPrompt, type Plan } from '../../src/engine/index.js';

/**
 * The tokens that any engine must compute: each distinct prefix once, and every suffix. `head` is the common beginning
 * of all prefixes, which the engine keeps in its cache from the start and is therefore excluded.
 */
export function uniqueTokens(plans: readonly Plan[], head: Int32Array = new Int32Array(0)): Int32Array {
  const rest = (prefix: Int32Array) =>
    head.every((token, i) => prefix[i] === token) ? prefix.subarray(head.length) : prefix;
  const prefixes = new Map(plans.map((plan) => [plan.prefix.join(), rest(plan.prefix)]));
  const parts = [
    ...prefixes.values(),
    ...plans.flatMap((plan) => plan.suffixes.map((suffix) => suffix.tokens)),
  ];
  return Int32Array.from(parts.flatMap((part) => [...part]));
}

/** The full prompt of every question. */
export function fullPrompts(plans: readonly Plan[]): Int32Array[] {
  return plans.flatMap((plan) =>
    plan.suffixes.map((suffix) => Int32Array.of(...plan.prefix, ...suffix.tokens)),
  );
}

export function longestOf(plans: readonly Plan[]): number {
  return Math.max(...plans.map(longestPrompt));
}
