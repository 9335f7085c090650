import type { Plan } from '../../engine/index.js';
import { type EngineChoice, type SimulatedMachine, simulationOf } from '../choice/engine-choice.js';
import type { PlanningModel } from '../numerics/fixed-prompts.js';
import { type Arrival, simulate } from '../simulation/simulate.js';
import { typicalPlans } from '../typical-plans.js';

/** Requests that are run for real and simulated, to compare both. */
export interface VerifiedShape {
  readonly title: string;
  /** Each together, after the one before. */
  readonly groups: readonly (readonly Plan[])[];
}

const SEED = 3;

/** The shapes of requests of `decider load`, alone and together; without those that do not fit into the model's window. */
export function shapesToVerify(model: PlanningModel, cells: number): VerifiedShape[] {
  const plans = (shape: 'short' | 'sixteen' | 'one_state', count: number) =>
    typicalPlans(model, cells, { seed: SEED, shape, count });
  const each = (list: readonly Plan[]) => list.map((plan) => [plan]);
  return [
    { title: 'eight short requests, one by one', groups: each(plans('short', 8)) },
    { title: 'four requests of sixteen questions, one by one', groups: each(plans('sixteen', 4)) },
    { title: 'sixteen short requests together', groups: [plans('short', 16)] },
    { title: 'six requests on one state together', groups: [plans('one_state', 6)] },
  ].filter(({ groups }) => groups.flat().length > 0);
}

/** Milliseconds between groups, longer than any takes. */
const APART_MS = 1e7;

/** What a shape takes, simulated. Milliseconds. */
export function predictShape(
  { groups }: VerifiedShape,
  choice: EngineChoice,
  machine: SimulatedMachine,
): number {
  const arrivals = groups.flatMap((plans, group) =>
    plans.map((plan): Arrival => ({ at: group * APART_MS, plan, urgency: 'live' })),
  );
  const { latencies } = simulate(arrivals, simulationOf(choice, machine));
  let answered = 0;
  return groups.reduce((sum, { length }) => {
    const own = latencies.slice(answered, answered + length);
    answered += length;
    return sum + Math.max(...own);
  }, 0);
}
