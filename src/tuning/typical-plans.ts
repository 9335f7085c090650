import { ApiError } from '../api/index.js';
import { ANY_MODEL, checkRequest, openBody, planRequest } from '../decide/index.js';
import { longestPrompt, type Plan } from '../engine/index.js';
import { generatedRequests, type Shape } from '../load/index.js';
import type { PlanningModel } from './numerics/fixed-prompts.js';

const TERMS = { model: null, files: new Map(), format: 'decide', allowedModels: null } as const;
/** After so many requests that do not fit into the model's window, none is expected to. */
const TRIES = 20;

/**
 * Plans of the requests that `decider load` sends, `count` of a shape; those that do not fit into the model's window or the
 * cells are left out. Empty if hardly any fits. The same seed gives the same plans.
 */
export function typicalPlans(
  model: PlanningModel,
  cells: number,
  { seed, shape, count }: { readonly seed: number; readonly shape: Shape | 'mix'; readonly count: number },
): Plan[] {
  const source = generatedRequests(seed, shape, 'any');
  const plans: Plan[] = [];
  for (let failures = 0; plans.length < count && failures < TRIES; ) {
    const plan = planOf(source.next().body, model);
    if (plan === null || !fitsCells(plan, cells)) failures += 1;
    else {
      plans.push(plan);
      failures = 0;
    }
  }
  return plans.length < count ? [] : plans;
}

/** An engine refuses a plan with a prompt that is longer than its cells. */
const fitsCells = (plan: Plan, cells: number) =>
  plan.prefix.length < cells / 2 && longestPrompt(plan) <= cells;

function planOf(body: Uint8Array, model: PlanningModel): Plan | null {
  const { request } = checkRequest(openBody(body), TERMS, ANY_MODEL);
  try {
    return planRequest(request, model).plan;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
