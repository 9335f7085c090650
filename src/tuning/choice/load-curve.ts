import { quantile } from '../../base/index.js';
import type { Plan } from '../../engine/index.js';
import { type Arrival, simulate } from '../simulation/simulate.js';
import { type EngineChoice, type SimulatedMachine, simulationOf } from './engine-choice.js';
import { LATENCY_QUANTILE } from './goal-score.js';
import { allAtOnceMs, arrivalTimes } from './workload.js';

/** Simulated latencies at a load. */
export interface LoadPoint {
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
}

/** Parts of what the settings compute when everything waits. */
const LOADS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** Latencies of the plans at rates up to nine tenths of what `reference` is expected to compute, simulated. */
export function loadCurve(
  plans: readonly Plan[],
  choice: EngineChoice,
  reference: EngineChoice,
  machine: SimulatedMachine,
): LoadPoint[] {
  const gap = allAtOnceMs(plans, reference, machine) / plans.length;
  return LOADS.map((load) => {
    const times = arrivalTimes(plans.length, gap / load);
    const arrivals = plans.map(
      (plan, index): Arrival => ({ at: times[index] as number, plan, urgency: 'live' }),
    );
    const { latencies } = simulate(arrivals, simulationOf(choice, machine));
    return {
      rate: (1_000 * load) / gap,
      p50: quantile(latencies, 0.5),
      p95: quantile(latencies, LATENCY_QUANTILE),
    };
  });
}
