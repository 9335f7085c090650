import type { Route } from '../api/index.js';
import type { AccessEntry } from '../http/index.js';
import type { Log, SpanIds } from '../telemetry/index.js';

/** The lowest status of an error. */
const ERROR_STATUS_MIN = 400;
/** The path of health checks, which load balancers request once a second. */
const HEALTH_CHECK: Route['path'] = '/health';

/**
 * Logs requests: every one with an error, and of the successful ones the first and then each `sample`-th; successful
 * health checks at level `debug`. Times are rounded to hundredths of a millisecond. `span`: that of the request, if it is
 * recorded.
 */
export function requestLog(log: Log, sample: number): (entry: AccessEntry, span?: SpanIds | null) => void {
  let successful = 0;
  return ({ durationMs, phases, begun: _, traceParent, ...entry }, span = null) => {
    const success = entry.status < ERROR_STATUS_MIN;
    const level = success && entry.path === HEALTH_CHECK ? 'debug' : 'info';
    if (success && level === 'info') {
      successful += 1;
      if ((successful - 1) % sample !== 0) return;
    }
    log[level](
      {
        ...entry,
        durationMs: rounded(durationMs),
        phases: phases && roundedAll(phases),
        traceId: span?.traceId ?? traceParent?.traceId,
        spanId: span?.spanId,
        parentId: traceParent?.parentId,
      },
      'request',
    );
  };
}

const rounded = (ms: number) => Math.round(ms * 100) / 100;

const roundedAll = (phases: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(phases).map(([name, ms]) => [name, rounded(ms)]));
