import type { StepResult } from './result.js';

/** The client's own delay may be this share of a latency, or this many milliseconds. */
const DELAY_SHARE_MAX = 0.1;
const DELAY_MS_MAX = 2;
const BUSY_MAX = 0.8;
const WAITED_SHARE_MAX = 0.01;

/** Reasons why the client may have limited a step, or added to its latencies. */
export function clientWarnings(
  {
    answered,
    failed,
    latency_ms,
    waited_for_connection,
    client,
  }: Pick<StepResult, 'answered' | 'failed' | 'latency_ms' | 'waited_for_connection' | 'client'>,
  connections: number,
): string[] {
  const warnings: string[] = [];
  const { busy, loop_delay_p99_ms, dispatch_delay_ms } = client;
  for (const percentile of ['p50', 'p99'] as const) {
    const delay = Math.max(dispatch_delay_ms[percentile] ?? 0, percentile === 'p99' ? loop_delay_p99_ms : 0);
    const latency = latency_ms[percentile];
    if (latency === null || delay < DELAY_MS_MAX || delay < latency * DELAY_SHARE_MAX) continue;
    warnings.push(`the client was late by ${delay.toFixed(1)} ms (${percentile}), part of the latency.`);
  }
  if (busy > BUSY_MAX) warnings.push(`the client was busy ${Math.round(busy * 100)} % of the time.`);
  const waited = waited_for_connection / Math.max(1, answered + failed);
  if (waited > WAITED_SHARE_MAX) {
    warnings.push(
      `${Math.round(waited * 100)} % of the requests waited for one of ${connections} connections.`,
    );
  }
  return warnings;
}
