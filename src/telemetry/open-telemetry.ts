import { createRequire } from 'node:module';

/**
 * The parts of OpenTelemetry's SDK in use. Declared here because its packages are optional: where they are not installed,
 * their types are missing too, and the project must still compile.
 */
export interface OpenTelemetry {
  readonly api: {
    readonly ROOT_CONTEXT: OtelContext;
    readonly trace: {
      setSpan(context: OtelContext, span: OtelSpan): OtelContext;
      setSpanContext(context: OtelContext, span: OtelSpanContext): OtelContext;
    };
  };
  readonly sdk: {
    readonly TracerProvider: new (options: {
      readonly resource: object;
      readonly sampler: object;
      readonly spanProcessors: readonly object[];
    }) => OtelProvider;
    readonly BatchSpanProcessor: new (options: {
      readonly exporter: OtelExporter;
      readonly maxQueueSize: number;
      readonly maxExportBatchSize: number;
    }) => object;
    readonly ParentBasedSampler: new (options: { readonly root: object }) => object;
    readonly TraceIdRatioBasedSampler: new (ratio: number) => object;
  };
  readonly resources: { resourceFromAttributes(attributes: object): object };
  readonly exporter: {
    readonly OTLPTraceExporter: new (options: {
      readonly url: string;
      readonly timeoutMillis: number;
    }) => OtelExporter;
  };
}

type OtelContext = object;

interface OtelSpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote?: boolean;
}

/** Whole seconds since 1970, and nanoseconds. */
export type OtelTime = readonly [seconds: number, nanoseconds: number];

interface OtelSpan {
  spanContext(): OtelSpanContext;
  isRecording(): boolean;
  setStatus(status: { readonly code: number }): void;
  end(time: OtelTime): void;
}

export interface OtelTracer {
  startSpan(
    name: string,
    options: { readonly kind: number; readonly startTime: OtelTime; readonly attributes: object },
    context: OtelContext,
  ): OtelSpan;
}

export interface OtelProvider {
  getTracer(name: string, version: string): OtelTracer;
  /** Exports what waits. */
  shutdown(): Promise<void>;
}

export interface OtelExporter {
  export(spans: readonly object[], done: (result: { readonly code: number }) => void): void;
  forceFlush?(): Promise<void>;
  shutdown(): Promise<void>;
}

/** `SpanKind.INTERNAL` and `SpanKind.SERVER`. */
export const OTEL_KIND = { internal: 0, server: 1 } as const;
/** `TraceFlags.SAMPLED`. */
export const OTEL_SAMPLED = 1;
/** `SpanStatusCode.ERROR`. */
export const OTEL_ERROR = 2;
/** `ExportResultCode.SUCCESS`. */
export const OTEL_EXPORTED = 0;

/** The folder into which `npm run install:traces` installs the packages. */
const INSTALLED = new URL('../../../optional/opentelemetry/package.json', import.meta.url);

/** Loads OpenTelemetry's SDK. Throws the error of `require` if it is not installed. */
export function loadOpenTelemetry(): OpenTelemetry {
  const require = createRequire(INSTALLED);
  return {
    api: require('@opentelemetry/api'),
    sdk: require('@opentelemetry/sdk-trace'),
    resources: require('@opentelemetry/resources'),
    exporter: require('@opentelemetry/exporter-trace-otlp-http'),
  };
}
