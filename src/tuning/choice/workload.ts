import { random } from '../../base/index.js';
import type { Plan } from '../../engine/index.js';
import { arrivalGap } from '../../load/index.js';
import type { PlanningModel } from '../numerics/fixed-prompts.js';
import { type Arrival, simulate } from '../simulation/simulate.js';
import { typicalPlans } from '../typical-plans.js';
import { type EngineChoice, type Goal, type SimulatedMachine, simulationOf } from './engine-choice.js';

/** Requests of the shapes that callers send, and how they arrive for a goal. */
export interface Workload {
  readonly goal: Goal;
  readonly plans: readonly Plan[];
  /** Of `plans`, in milliseconds from the start, ascending. All 0: everything waits. */
  readonly times: readonly number[];
}

/** The load of the latency goal, as a part of what the default settings are expected to compute. */
export const LATENCY_LOAD = 0.6;
const SEED = 2;

/** `count` requests of the mix of `decider load`; of its short ones if the mix does not fit into the model's window. */
export function mixedPlans(model: PlanningModel, cells: number, count: number): Plan[] {
  const mixed = typicalPlans(model, cells, { seed: SEED, shape: 'mix', count });
  return mixed.length > 0 ? mixed : typicalPlans(model, cells, { seed: SEED, shape: 'short', count });
}

/** Milliseconds that plans take that all wait from the start, simulated. */
export function allAtOnceMs(plans: readonly Plan[], choice: EngineChoice, machine: SimulatedMachine): number {
  const arrivals = plans.map((plan): Arrival => ({ at: 0, plan, urgency: 'live' }));
  return simulate(arrivals, simulationOf(choice, machine)).ms;
}

/** Plans that all wait, or that arrive at random times at a load of `LATENCY_LOAD`. */
export function workloadOf(
  goal: Goal,
  plans: readonly Plan[],
  defaults: EngineChoice,
  machine: SimulatedMachine,
): Workload {
  if (goal === 'throughput') return { goal, plans, times: plans.map(() => 0) };
  const gap = allAtOnceMs(plans, defaults, machine) / plans.length / LATENCY_LOAD;
  return { goal, plans, times: arrivalTimes(plans.length, gap) };
}

/** Times of a Poisson process, `gap` milliseconds apart on average. */
export function arrivalTimes(count: number, gap: number): number[] {
  const source = random(SEED);
  let at = 0;
  return Array.from({ length: count }, () => {
    at += arrivalGap(gap, source);
    return at;
  });
}
