import { test } from 'tap';
import { Latencies, NOT_SENT, Recorder, TIMEOUT } from '../../src/load/index.js';
import { ANSWERED } from './simulation.js';

const WINDOW = { start: 1_000, end: 2_000 };

test('percentiles have three significant digits, from 1 µs to an hour', async (t) => {
  const latencies = new Latencies();
  for (let ms = 1; ms <= 10_000; ms++) latencies.record(ms);
  for (const [percent, expected] of [
    [50, 5_000],
    [99, 9_900],
    [99.9, 9_990],
  ] as const) {
    const measured = latencies.percentile(percent) as number;
    t.ok(Math.abs(measured - expected) <= expected * 0.001, `p${percent} ${measured}`);
  }
  const ends = new Latencies();
  ends.record(-1);
  ends.record(1e9);
  t.equal(ends.count, 2);
  t.ok((ends.summary().max as number) >= 3_600_000);
});

test('a percentile that equals the maximum is not reported', async (t) => {
  for (const [percent, least] of [
    [50, 2],
    [95, 20],
    [99, 100],
    [99.9, 1_000],
  ] as const) {
    const latencies = new Latencies();
    for (let count = 1; count < least; count++) latencies.record(1);
    t.equal(latencies.percentile(percent), null, `p${percent} of ${least - 1}`);
    latencies.record(1);
    t.equal(latencies.percentile(percent), 1, `p${percent} of ${least}`);
  }
  t.match(new Latencies().summary(), { count: 0, mean: null, p50: null, max: null });
});

test('only the intended start decides whether a latency is recorded', async (t) => {
  const recorder = new Recorder(WINDOW);
  for (const start of [999, 1_000, 1_999, 2_000]) recorder.ended('short', start, start + 500, ANSWERED);
  t.equal(recorder.answered, 2);
  t.equal(recorder.completed.requests, 2, 'of those that ended within the window');
  t.equal(recorder.seconds, 1);
});

test('a window that is closed early is shorter', async (t) => {
  const recorder = new Recorder(WINDOW);
  recorder.close(1_400);
  recorder.ended('short', 1_300, 1_500, ANSWERED);
  t.equal(recorder.answered, 1);
  t.equal(recorder.completed.requests, 0);
  t.equal(recorder.seconds, 0.4);
  recorder.close(500);
  t.equal(recorder.seconds, 0);
});

test('failures count by status and type, and miss the target', async (t) => {
  const recorder = new Recorder(WINDOW, 100);
  const overloaded = { answered: false, status: 503, type: 'overloaded' } as const;
  recorder.ended('short', 1_000, 1_010, overloaded);
  recorder.ended('short', 1_000, 1_020, overloaded);
  recorder.ended('short', 1_000, 1_900, TIMEOUT);
  recorder.ended('short', 1_000, 1_000, NOT_SENT);
  recorder.ended('short', 1_000, 1_100, ANSWERED);
  recorder.ended('short', 1_000, 1_101, ANSWERED);
  t.strictSame(recorder.errors(), [
    { status: 503, type: 'overloaded', count: 2 },
    { status: null, type: 'timeout', count: 1 },
    { status: null, type: 'not_sent', count: 1 },
  ]);
  t.equal(recorder.missed, 5);
  t.equal(recorder.latencies.count, 3, 'answered or timed out');
  t.strictSame(Object.keys(recorder.shapes()), ['short']);
});

test('kinds of failures are bounded', async (t) => {
  const recorder = new Recorder(WINDOW);
  for (let kind = 0; kind < 60; kind++) {
    recorder.ended('short', 1_000, 1_001, { answered: false, status: 500, type: `type_${kind}` });
  }
  t.equal(recorder.errors().length, 51);
  t.strictSame(recorder.errors()[0], { status: null, type: 'other', count: 10 });
  recorder.ended('short', 1_000, 1_001, { answered: false, status: 500, type: 'type_3' });
  t.equal(recorder.errors().find(({ type }) => type === 'type_3')?.count, 2);
});
