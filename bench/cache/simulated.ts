import { random } from '../../src/base/index.js';
import { COUPLED_PRODUCT_MAX, type Plan } from '../../src/engine/index.js';
import { CELL_PRICE } from '../../src/engine/scheduler/idle-budget.js';
import { type Arrival, simulate } from '../../src/tuning/index.js';
import { RATES, repeatingPlans } from './plans.js';

const IDLE_CELLS_MAX = 4_096;
const BOUNDS = {
  cells: 8_192,
  waveTokens: 512,
  microBatchTokens: 512,
  microBatchTokensMin: 0,
  sequences: 64,
};

/** What requests cost with one way of keeping prefixes: tokens, each dearer by `CELL_PRICE` for every cell in use. */
export interface CacheCosts {
  readonly kept: number;
  readonly adaptive: number;
  readonly cold: number;
}

/** One request after the other, on one lane: nothing but prefixes is shared. */
function costOf(plans: readonly Plan[], idleCellsMax: number, adapts: boolean): number {
  let cost = 0;
  const gap = 2 * BOUNDS.cells;
  const arrivals = plans.map((plan, at): Arrival => ({ at: at * gap, plan, urgency: 'live' }));
  simulate(arrivals, {
    bounds: BOUNDS,
    sharing: {
      head: new Int32Array(0),
      idleCellsMax,
      exact: false,
      coupledProductMax: COUPLED_PRODUCT_MAX,
    },
    adapts,
    devices: 1,
    contexts: 1,
    timeOf: (wave) => {
      const device = wave.cost * (1 + wave.cells * CELL_PRICE);
      cost += device;
      return { host: 0, device };
    },
  });
  return cost;
}

/** The costs of a case (see `RATES`), summed over seeds. */
export function cacheCosts(name: string, count: number, seeds: readonly number[]): CacheCosts {
  const costs = { kept: 0, adaptive: 0, cold: 0 };
  for (const seed of seeds) {
    const rate = RATES[name] as (part: number) => number;
    const plans = repeatingPlans(rate, count, Int32Array.of(1), random(seed));
    costs.kept += costOf(plans, IDLE_CELLS_MAX, false);
    costs.adaptive += costOf(plans, IDLE_CELLS_MAX, true);
    costs.cold += costOf(plans, 0, false);
  }
  return costs;
}
