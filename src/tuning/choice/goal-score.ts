import { quantile } from '../../base/index.js';
import type { Goal } from './engine-choice.js';

/** The quantile of latencies that the latency goal looks at. */
export const LATENCY_QUANTILE = 0.95;

/** What a workload took, measured or simulated. */
export interface Took {
  /** Of each request, in milliseconds. */
  readonly latencies: readonly number[];
  /** Until the last answer, in milliseconds. */
  readonly ms: number;
}

/** What a goal makes as small as possible, in milliseconds: the 95th percentile of latencies, or the time of all requests. */
export const scoreOf = (goal: Goal, { latencies, ms }: Took): number =>
  goal === 'latency' ? quantile(latencies, LATENCY_QUANTILE) : ms;
