import type { AccessEntry } from '../http/index.js';
import type { Metrics } from '../telemetry/index.js';

/** The label `model` of a request that no model has answered. */
const NO_MODEL = '-';

/** Counts requests and their time. The label `model` is that of a loaded build, never what a caller has written. */
export function requestMetrics({ instruments }: Metrics): (entry: AccessEntry) => void {
  const { requests, requestSeconds } = instruments;
  return ({ path: route, status, model = NO_MODEL, durationMs }) => {
    requests.inc({ route, status, model });
    requestSeconds.observe({ route, model }, durationMs / 1_000);
  };
}
