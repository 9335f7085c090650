import type { ServerResponse } from 'node:http';
import { test } from 'tap';
import { type Clock, systemClock } from '../../src/base/index.js';
import { openTraces, TRACES_END_MS_MAX, tracedRequest } from '../../src/server/request-traces.js';
import { createLog, type loadOpenTelemetry, Metrics } from '../../src/telemetry/index.js';
import { fakeClock } from '../support/fake-clock.js';
import { otlpCollector, sdkMissing } from '../support/otlp-collector.js';
import { startTestServer } from '../support/server.js';

const SECRET = 'Lady-Macbeth';
const BODY = { state: SECRET, questions: { [SECRET]: { type: 'choice', criteria: [SECRET, 'x'] } } };
const TRACE = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentId: '00f067aa0ba902b7' };
const PARENT = `00-${TRACE.traceId}-${TRACE.parentId}-01`;

const ENTRY = {
  method: 'POST',
  path: '/v1/decide',
  status: 200,
  durationMs: 30,
  requestId: 'req_1',
  client: '192.0.2.7',
  keyId: 'key_1',
  workspace: 'acme',
  traceParent: undefined,
  model: 'tiny-20260101',
  phases: { prepare: 2, queue: 3, engine: 10 },
  begun: { prepare: 1_005, queue: 1_008 },
  error: undefined,
} as const;

test('the span of a request has its route, status and build, and its phases as parts', async (t) => {
  const clock = { now: () => 50_000, monotonic: () => 1_030 };
  const span = tracedRequest(ENTRY, clock);
  t.strictSame(span, {
    name: 'POST /v1/decide',
    start: 49_970,
    end: 50_000,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/decide',
      'http.response.status_code': 200,
      'decider.request_id': 'req_1',
      'decider.model': 'tiny-20260101',
    },
    failed: false,
    parent: undefined,
    parts: [
      { name: 'prepare', start: 49_975, end: 49_977 },
      { name: 'queue', start: 49_978, end: 49_981 },
      { name: 'wave', start: 49_981, end: 49_991 },
    ],
  });
  const shared = tracedRequest({ ...ENTRY, phases: { ...ENTRY.phases, engine: 0 } }, clock);
  t.strictSame(
    shared.parts.map(({ name }) => name),
    ['prepare', 'queue'],
    'a shared answer has no wave',
  );
  const failed = {
    ...ENTRY,
    method: '-',
    path: '-',
    model: undefined,
    phases: undefined,
    begun: undefined,
  } as const;
  const fault = tracedRequest({ ...failed, status: 500, error: 'internal_error' }, clock);
  t.match(fault, {
    failed: true,
    parts: [],
    attributes: { 'http.request.method': '_OTHER', 'error.type': 'internal_error' },
  });
  t.notOk('http.route' in fault.attributes);
});

test('without traces.url, OpenTelemetry is not loaded; with it and without the SDK, the start ends', async (t) => {
  const parts = [fakeClock(), createLog('silent', { write: () => {} }), new Metrics()] as const;
  const missing = () => {
    throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
  };
  t.equal(openTraces({ url: '', sample: 1 }, ...parts, missing), null);
  t.throws(() => openTraces({ url: 'http://127.0.0.1:1/', sample: 1 }, ...parts, missing), {
    name: 'StartError',
    message: "traces.url: OpenTelemetry's SDK is not installed. Run: npm run install:traces",
  });
});

test('a fault of the SDK is no fault of a request', async (t) => {
  class Part {}
  class Faulty {
    getTracer = () => ({
      startSpan() {
        throw new TypeError('a fault of the SDK');
      },
    });
  }
  const sdk = {
    api: { ROOT_CONTEXT: {}, trace: { setSpanContext: () => ({}) } },
    sdk: {
      TracerProvider: Faulty,
      BatchSpanProcessor: Part,
      ParentBasedSampler: Part,
      TraceIdRatioBasedSampler: Part,
    },
    resources: { resourceFromAttributes: () => ({}) },
    exporter: { OTLPTraceExporter: Part },
  } as unknown as ReturnType<typeof loadOpenTelemetry>;
  const metrics = new Metrics();
  const log = createLog('silent', { write: () => {} });
  const traces = openTraces({ url: 'http://127.0.0.1:1/', sample: 1 }, fakeClock(), log, metrics, () => sdk);
  t.equal(traces?.record(ENTRY), null);
  t.match(await metrics.scrape(), 'decider_spans_total{outcome="failed"} 1\n');
});

test('a decision in the trace of its caller; no text of a caller leaves the server', {
  skip: sdkMissing,
}, async (t) => {
  const { url, spans, messages } = await otlpCollector(t);
  // However long the export takes, the end waits for it.
  const after: Clock['after'] = (ms, callback) =>
    ms === TRACES_END_MS_MAX ? () => {} : systemClock.after(ms, callback);
  const clock = { ...systemClock, after };
  const server = await startTestServer(t, { DECIDER_TRACES_URL: url }, undefined, { clock });
  const send = (traceparent: string, target = '/v1/decide') =>
    fetch(server.url + target, {
      method: 'POST',
      headers: { ...server.headers, traceparent, [SECRET]: SECRET },
      body: JSON.stringify(BODY),
    });
  await (await send(PARENT)).text();
  await (await send(PARENT.replace(/01$/, '00'), `/${SECRET}?${SECRET}`)).text();
  await server.stop();
  const sent = spans();
  t.strictSame(
    sent.map(({ name }) => name),
    ['prepare', 'queue', 'wave', 'POST /v1/decide'],
  );
  for (const { traceId } of sent) t.equal(traceId, TRACE.traceId);
  t.equal(sent[3]?.parentSpanId, TRACE.parentId);
  t.notMatch(messages.join(), SECRET);
  t.notMatch(messages.join(), /key_|127\.0\.0\.1/);
  const lines = server.lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  t.match(lines, [
    { status: 200, ...TRACE, spanId: sent[3]?.spanId },
    { status: 404, ...TRACE, spanId: undefined },
  ]);
});

test('a collector that does not take spans is logged once, and holds up no end of the server', {
  skip: sdkMissing,
}, async (t) => {
  const held: ServerResponse[] = [];
  let status: number | null = 400;
  const collector = await otlpCollector(t, (response) => {
    if (status === null) held.push(response);
    else {
      response.statusCode = status;
      response.end('{}');
    }
  });
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const metrics = new Metrics();
  const clock = fakeClock(1_790_000_000_000);
  const traces = openTraces({ url: collector.url, sample: 1 }, clock, log, metrics);
  /** So many that they are sent at once. */
  const send = async (messages: number) => {
    for (let spans = 0; spans < 512; spans += 4) traces?.record(ENTRY);
    await collector.received(messages);
  };
  const outcomes = async () =>
    (await metrics.scrape()).split('\n').filter((line) => line.startsWith('decider_spans_total{'));
  const until = async (line: string) => {
    while (!(await outcomes()).includes(line)) await new Promise((resolve) => setImmediate(resolve));
  };
  await send(1);
  await until('decider_spans_total{outcome="failed"} 512');
  await send(2);
  await until('decider_spans_total{outcome="failed"} 1024');
  status = 200;
  await send(3);
  await until('decider_spans_total{outcome="exported"} 512');
  t.strictSame(lines, [
    'the collector of traces (traces.url) does not take spans; they are lost until it does',
    'the collector of traces takes spans again',
  ]);
  status = null;
  await send(4);
  const closed = traces?.close();
  clock.advance(TRACES_END_MS_MAX);
  await closed;
  t.equal(held.length, 1, 'it has not answered');
});
