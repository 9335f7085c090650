import {
  type OpenTelemetry,
  OTEL_ERROR,
  OTEL_EXPORTED,
  OTEL_KIND,
  OTEL_SAMPLED,
  type OtelExporter,
  type OtelProvider,
  type OtelTime,
  type OtelTracer,
} from './open-telemetry.js';

/** Spans that wait for the collector or are on their way to it; the requests of further ones are not recorded. */
export const SPANS_WAITING_MAX = 2_048;
/** Spans of one message to the collector. */
const SPANS_A_MESSAGE_MAX = 512;
/** How long a message is tried, repetitions included. */
const EXPORT_MS_MAX = 10_000;

/** A part of a request. Times are milliseconds since 1970. */
export interface TracedPart {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A request that has ended. Attributes never hold what a caller has written. */
export interface TracedRequest extends TracedPart {
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly failed: boolean;
  /** The caller's span; undefined: the request begins a trace. */
  readonly parent:
    | { readonly traceId: string; readonly parentId: string; readonly sampled: boolean }
    | undefined;
  readonly parts: readonly TracedPart[];
}

/** Of a recorded span. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** What became of spans: accepted by the collector, lost with a message to it, or dropped because too many waited. */
export const SPAN_OUTCOMES = ['exported', 'failed', 'dropped'] as const;
type SpanOutcome = (typeof SPAN_OUTCOMES)[number];

interface TracesOptions {
  /** The address of the collector that takes traces over OTLP/HTTP. */
  readonly url: string;
  /** One of so many requests that begin a trace is recorded. */
  readonly sample: number;
  /** Of this program. */
  readonly version: string;
  /** Called with each number of spans whose outcome is known. Must not throw. */
  readonly onSpans: (outcome: SpanOutcome, spans: number) => void;
}

/** Sends spans of requests to a collector in the background. A collector that does not answer costs spans, never requests. */
export class Traces {
  readonly #api: OpenTelemetry['api'];
  readonly #provider: OtelProvider;
  readonly #tracer: OtelTracer;
  readonly #onSpans: TracesOptions['onSpans'];
  #waiting = 0;

  /** @param sdk OpenTelemetry's own */
  constructor(
    { api, sdk, resources, exporter }: OpenTelemetry,
    { url, sample, version, onSpans }: TracesOptions,
  ) {
    this.#api = api;
    this.#onSpans = onSpans;
    const collector = new exporter.OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS_MAX });
    this.#provider = new sdk.TracerProvider({
      resource: resources.resourceFromAttributes({ 'service.name': 'decider', 'service.version': version }),
      sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(1 / sample) }),
      spanProcessors: [
        new sdk.BatchSpanProcessor({
          exporter: this.#counted(collector),
          maxQueueSize: SPANS_WAITING_MAX,
          maxExportBatchSize: SPANS_A_MESSAGE_MAX,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer('decider', version);
  }

  /** Records a request and its parts. Returns the ids of its span; null if it is not recorded. */
  record({ name, start, end, attributes, failed, parent, parts }: TracedRequest): SpanIds | null {
    const { ROOT_CONTEXT, trace } = this.#api;
    const outer = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote(parent));
    const server = { kind: OTEL_KIND.server, startTime: timeOf(start), attributes };
    const span = this.#tracer.startSpan(name, server, outer);
    if (!span.isRecording()) return null;
    const spans = 1 + parts.length;
    if (this.#waiting + spans > SPANS_WAITING_MAX) {
      this.#onSpans('dropped', spans);
      return null;
    }
    this.#waiting += spans;
    const inner = trace.setSpan(ROOT_CONTEXT, span);
    for (const part of parts) {
      const own = { kind: OTEL_KIND.internal, startTime: timeOf(part.start), attributes: {} };
      this.#tracer.startSpan(part.name, own, inner).end(timeOf(part.end));
    }
    if (failed) span.setStatus({ code: OTEL_ERROR });
    span.end(timeOf(end));
    const { traceId, spanId } = span.spanContext();
    return { traceId, spanId };
  }

  /** Sends what waits. With a collector that does not answer, this takes as long as a message is tried. */
  async close(): Promise<void> {
    // `onSpans` has the outcome of each message.
    await this.#provider.shutdown().catch(() => {});
  }

  #counted(collector: OtelExporter): OtelExporter {
    return {
      export: (spans, done) =>
        collector.export(spans, (result) => {
          this.#waiting -= spans.length;
          this.#onSpans(result.code === OTEL_EXPORTED ? 'exported' : 'failed', spans.length);
          done(result);
        }),
      forceFlush: async () => collector.forceFlush?.(),
      shutdown: () => collector.shutdown(),
    };
  }
}

const remote = ({ traceId, parentId, sampled }: NonNullable<TracedRequest['parent']>) => ({
  traceId,
  spanId: parentId,
  traceFlags: sampled ? OTEL_SAMPLED : 0,
  isRemote: true,
});

/** @param ms since 1970 */
function timeOf(ms: number): OtelTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
