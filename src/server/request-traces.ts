import { type Clock, StartError, VERSION } from '../base/index.js';
import type { AccessEntry } from '../http/index.js';
import type { Settings } from '../settings/index.js';
import {
  type Log,
  loadOpenTelemetry,
  type Metrics,
  SPAN_OUTCOMES,
  type SpanIds,
  type TracedPart,
  type TracedRequest,
  Traces,
} from '../telemetry/index.js';

/** How long the end of a server waits for the collector. */
export const TRACES_END_MS_MAX = 2_000;

/** The lowest status of a fault of the server. */
const FAULT_STATUS_MIN = 500;
/** A method that is not a usual one; the name that OpenTelemetry gives it. */
const OTHER_METHOD = '_OTHER';

/** The traces of a server's requests. */
export interface RequestTraces {
  /** Records a request that has just ended. Returns the ids of its span; null if it is not recorded. */
  record(entry: AccessEntry): SpanIds | null;
  /** Sends what waits, for a limited time. */
  close(): Promise<void>;
}

/**
 * Loads OpenTelemetry's SDK and sends the traces of requests to the collector of the settings; null without one. Throws
 * StartError if the SDK is not installed.
 *
 * @param load loads the SDK
 */
export function openTraces(
  { url, sample }: Settings['traces'],
  clock: Clock,
  log: Log,
  { instruments }: Metrics,
  load = loadOpenTelemetry,
): RequestTraces | null {
  if (url === '') return null;
  for (const outcome of SPAN_OUTCOMES) instruments.spans.inc({ outcome }, 0);
  let works = true;
  const traces = new Traces(loadSdk(load), {
    url,
    sample,
    version: VERSION,
    onSpans(outcome, spans) {
      instruments.spans.inc({ outcome }, spans);
      // One line for each change, not one for each message.
      if (outcome === 'dropped' || works === (outcome === 'exported')) return;
      works = !works;
      if (works) log.info('the collector of traces takes spans again');
      else log.warn('the collector of traces (traces.url) does not take spans; they are lost until it does');
    },
  });
  return {
    record(entry) {
      try {
        return traces.record(tracedRequest(entry, clock));
      } catch {
        // A fault of the SDK must not become one of the request.
        instruments.spans.inc({ outcome: 'failed' });
        return null;
      }
    },
    async close() {
      const late = new Promise<void>((resolve) => clock.after(TRACES_END_MS_MAX, resolve));
      await Promise.race([traces.close(), late]);
    },
  };
}

/** Throws StartError if traces are on and OpenTelemetry's SDK is not installed. */
export function requireTraces({ traces }: Pick<Settings, 'traces'>): void {
  if (traces.url !== '') loadSdk(loadOpenTelemetry);
}

function loadSdk(load: typeof loadOpenTelemetry): ReturnType<typeof loadOpenTelemetry> {
  try {
    return load();
  } catch (cause) {
    const hint =
      (cause as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND' ? 'is not installed' : 'does not load';
    throw new StartError(`traces.url: OpenTelemetry's SDK ${hint}. Run: npm run install:traces`, { cause });
  }
}

/** The span of a request: what the log has, without the caller's address, key and workspace. */
export function tracedRequest(entry: AccessEntry, clock: Pick<Clock, 'now' | 'monotonic'>): TracedRequest {
  const { method, path, status, error, model, requestId, durationMs, traceParent: parent } = entry;
  const end = clock.now();
  // The monotonic clock has another beginning than the calendar.
  const offset = end - clock.monotonic();
  return {
    name: `${method} ${path}`,
    start: end - durationMs,
    end,
    attributes: {
      'http.request.method': method === '-' ? OTHER_METHOD : method,
      ...(path !== '-' && { 'http.route': path }),
      'http.response.status_code': status,
      ...(error !== undefined && { 'error.type': error }),
      'decider.request_id': requestId,
      ...(model !== undefined && { 'decider.model': model }),
    },
    failed: status >= FAULT_STATUS_MIN,
    parent,
    parts: partsOf(entry, offset),
  };
}

/** The phases of an answered decision, one after the other; a shared answer has no wave. */
function partsOf({ phases, begun }: AccessEntry, offset: number): TracedPart[] {
  if (phases === undefined || begun === undefined) return [];
  const { prepare = 0, queue = 0, engine = 0 } = phases;
  const part = (name: string, begin: number, ms: number) => ({
    name,
    start: offset + begin,
    end: offset + begin + ms,
  });
  const { prepare: prepared = 0, queue: queued = 0 } = begun;
  const parts = [part('prepare', prepared, prepare), part('queue', queued, queue)];
  return engine === 0 ? parts : [...parts, part('wave', queued + queue, engine)];
}
