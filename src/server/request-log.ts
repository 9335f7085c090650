import type { Route } from '../api/index.js';
import type { AccessEntry, Phases } from '../http/index.js';
import type { Log, SpanIds } from '../telemetry/index.js';

/** The lowest status of an error. */
const ERROR_STATUS_MIN = 400;
/** The path of health checks, which load balancers request once a second. */
const HEALTH_CHECK: Route['path'] = '/health';

/** Every field of an entry is logged but two: when phases began, and the parsed header, whose ids are. */
type LoggedFields = Record<Exclude<keyof AccessEntry, 'begun' | 'traceParent'>, unknown> &
  Record<'traceId' | 'spanId' | 'parentId', string | undefined>;

/**
 * Logs requests: every one with an error, and of the successful ones the first and then each `sample`-th; successful
 * health checks at level `debug`. Times are rounded to hundredths of a millisecond. `span`: that of the request, if it is
 * recorded.
 */
export function requestLog(log: Log, sample: number): (entry: AccessEntry, span?: SpanIds | null) => void {
  let successful = 0;
  return (entry, span = null) => {
    const { phases, traceParent } = entry;
    const success = entry.status < ERROR_STATUS_MIN;
    const level = success && entry.path === HEALTH_CHECK ? 'debug' : 'info';
    if (success && level === 'info') {
      successful += 1;
      if ((successful - 1) % sample !== 0) return;
    }
    log[level](
      // Field by field: copying the rest of an entry takes several times as long.
      {
        method: entry.method,
        path: entry.path,
        status: entry.status,
        durationMs: rounded(entry.durationMs),
        requestId: entry.requestId,
        client: entry.client,
        keyId: entry.keyId,
        workspace: entry.workspace,
        model: entry.model,
        phases: phases && roundedAll(phases),
        error: entry.error,
        traceId: span?.traceId ?? traceParent?.traceId,
        spanId: span?.spanId,
        parentId: traceParent?.parentId,
      } satisfies LoggedFields,
      'request',
    );
  };
}

const rounded = (ms: number) => Math.round(ms * 100) / 100;

function roundedAll(phases: Phases): Phases {
  const all: Record<string, number> = {};
  for (const name in phases) all[name] = rounded(phases[name] as number);
  return all;
}
