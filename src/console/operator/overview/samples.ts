import type { OperatorLive } from '../../../api/index.js';

/** How many samples the plots show. */
export const SAMPLES_MAX = 60;
/** Samples further apart than this, in milliseconds, are not drawn as one line: the older ones are dropped. */
const GAP_MS = 5_000;

/** Adds a sample, and drops those that no longer belong to the plots. */
export function withSample(samples: readonly OperatorLive[], sample: OperatorLive): readonly OperatorLive[] {
  const last = samples.at(-1);
  if (last === undefined) return [sample];
  const since = Date.parse(sample.time) - Date.parse(last.time);
  const restarted = sample.uptime_seconds < last.uptime_seconds;
  if (restarted || since < 0 || since > GAP_MS) return [sample];
  return [...samples, sample].slice(-SAMPLES_MAX);
}
