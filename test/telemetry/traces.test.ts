import type { ServerResponse } from 'node:http';
import { test } from 'tap';
import {
  loadOpenTelemetry,
  SPANS_WAITING_MAX,
  type TracedRequest,
  Traces,
} from '../../src/telemetry/index.js';
import { otlpCollector, sdkMissing } from '../support/otlp-collector.js';

const START = 1_790_000_000_000;
const REQUEST: TracedRequest = {
  name: 'POST /v1/decide',
  start: START,
  end: START + 12.5,
  attributes: { 'http.response.status_code': 200 },
  failed: false,
  parent: undefined,
  parts: [
    { name: 'prepare', start: START + 1, end: START + 2.25 },
    { name: 'wave', start: START + 3, end: START + 12 },
  ],
};
const PARENT = { traceId: 'a'.repeat(32), parentId: 'b'.repeat(16), sampled: true };

/** Traces that go to a collector, and how many spans had which outcome. */
function opened(url: string, sample = 1) {
  const outcomes = { exported: 0, failed: 0, dropped: 0 };
  const onSpans = (outcome: keyof typeof outcomes, spans: number) => {
    outcomes[outcome] += spans;
  };
  return { outcomes, traces: new Traces(loadOpenTelemetry(), { url, sample, version: '1.2.3', onSpans }) };
}

test('a request and its parts arrive as spans of one trace', { skip: sdkMissing }, async (t) => {
  const { url, spans, messages } = await otlpCollector(t);
  const { traces, outcomes } = opened(url);
  const ids = traces.record(REQUEST);
  const joined = traces.record({ ...REQUEST, parent: PARENT, parts: [], failed: true });
  t.equal(joined?.traceId, PARENT.traceId);
  await traces.close();
  const [prepare, wave, request, other] = spans();
  t.match(request, {
    traceId: ids?.traceId,
    spanId: ids?.spanId,
    name: 'POST /v1/decide',
    kind: 2,
    startTimeUnixNano: `${START}000000`,
    endTimeUnixNano: `${START + 12}500000`,
    attributes: [{ key: 'http.response.status_code', value: { intValue: 200 } }],
  });
  t.notOk(request?.parentSpanId);
  for (const part of [prepare, wave])
    t.match(part, { traceId: ids?.traceId, parentSpanId: ids?.spanId, kind: 1 });
  t.match(prepare, {
    name: 'prepare',
    startTimeUnixNano: `${START + 1}000000`,
    endTimeUnixNano: `${START + 2}250000`,
  });
  t.match(other, { traceId: PARENT.traceId, parentSpanId: PARENT.parentId, status: { code: 2 } });
  t.match(messages[0], '"service.version","value":{"stringValue":"1.2.3"}');
  t.strictSame(outcomes, { exported: 4, failed: 0, dropped: 0 });
});

test('the flag of the caller decides, otherwise the sample', { skip: sdkMissing }, async (t) => {
  const { url, spans } = await otlpCollector(t);
  // So rare that no trace of its own is one of them: of a million, one might be.
  const rare = opened(url, Number.MAX_SAFE_INTEGER).traces;
  const alone = { ...REQUEST, parts: [] };
  t.ok(rare.record({ ...alone, parent: PARENT }));
  const all = opened(url, 1).traces;
  t.equal(all.record({ ...alone, parent: { ...PARENT, sampled: false } }), null);
  t.equal(Array.from({ length: 20 }, () => rare.record(alone)).filter((ids) => ids !== null).length, 0);
  await Promise.all([rare.close(), all.close()]);
  t.equal(spans().length, 1);
});

test('spans that wait are bounded: requests beyond are not recorded until the collector answers', {
  skip: sdkMissing,
}, async (t) => {
  const held: ServerResponse[] = [];
  let holds = true;
  const collector = await otlpCollector(t, (response) => {
    if (holds) held.push(response);
    else response.end('{}');
  });
  const { traces, outcomes } = opened(collector.url);
  const alone = { ...REQUEST, parts: [] };
  for (let at = 0; at < SPANS_WAITING_MAX - 2; at += 1) traces.record(alone);
  t.equal(traces.record(REQUEST), null, 'three spans where two have room');
  t.ok(traces.record(alone));
  t.ok(traces.record(alone), 'the limit');
  t.equal(traces.record(alone), null, 'one past it');
  t.strictSame(outcomes, { exported: 0, failed: 0, dropped: 4 });
  await collector.received(1);
  holds = false;
  for (const response of held) response.end('{}');
  await collector.received(2);
  while (outcomes.exported === 0) await new Promise((resolve) => setImmediate(resolve));
  t.ok(traces.record(alone));
  await traces.close();
  t.strictSame(outcomes, { exported: SPANS_WAITING_MAX + 1, failed: 0, dropped: 4 });
});

test('spans that the collector refuses are lost and counted', { skip: sdkMissing }, async (t) => {
  const { url } = await otlpCollector(t, (response) => {
    response.statusCode = 400;
    response.end();
  });
  const { traces, outcomes } = opened(url);
  traces.record(REQUEST);
  await traces.close();
  t.strictSame(outcomes, { exported: 0, failed: 3, dropped: 0 });
});
