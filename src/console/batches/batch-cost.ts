import type { Limits } from '../api/api-types.js';
import { costOf } from '../ask/models.js';

interface BatchCost {
  readonly tokens: number;
  /** In the currency of the limits; null if the price of a model is not known. */
  readonly cost: number | null;
}

/** What input tokens by model cost in a batch at the current price; null if no model is named: nothing is known then. */
export function batchCost(tokens: ReadonlyMap<string, number>, limits: Limits): BatchCost | null {
  if (tokens.size === 0) return null;
  let [all, cost]: [number, number | null] = [0, 0];
  for (const [model, used] of tokens) {
    all += used;
    const part = used === 0 ? 0 : costOf(used, model, limits, 'batch');
    cost = cost === null || part === null ? null : cost + part;
  }
  return { tokens: all, cost };
}
