import { test } from 'tap';
import type { AccessEntry } from '../../src/http/index.js';
import { requestLog } from '../../src/server/request-log.js';
import { createLog } from '../../src/telemetry/index.js';

const ENTRY: AccessEntry = {
  method: 'POST',
  path: '/v1/decide',
  status: 200,
  durationMs: 7.23456,
  requestId: 'req_1',
  client: '127.0.0.1',
  keyId: 'key_1',
  workspace: 'default',
  traceParent: undefined,
  model: 'tiny-20260101',
  phases: { prepare: 0.123456, queue: 1, engine: 2.005 },
  begun: { prepare: 100, queue: 101 },
  error: undefined,
};

function open(sample: number, level: 'info' | 'debug' = 'info') {
  const lines: string[] = [];
  const log = createLog(level, { write: (line: string) => void lines.push(line) });
  return { write: requestLog(log, sample), entries: () => lines.map((line) => JSON.parse(line)) };
}

test('a log line has the fields of its request, with rounded phases; unknown fields are absent', async (t) => {
  const { write, entries } = open(1);
  write(ENTRY);
  write({
    ...ENTRY,
    status: 401,
    keyId: undefined,
    workspace: undefined,
    model: undefined,
    phases: undefined,
    error: 'unauthorized',
  });
  const [answered, refused] = entries();
  const { begun: _, ...logged } = ENTRY;
  t.match(answered, {
    ...logged,
    durationMs: 7.23,
    phases: { prepare: 0.12, queue: 1, engine: 2.01 },
    msg: 'request',
  });
  t.notOk('error' in answered);
  t.match(refused, { status: 401, error: 'unauthorized', requestId: 'req_1' });
  for (const name of ['keyId', 'workspace', 'model', 'phases', 'begun', 'traceId'])
    t.notOk(name in refused, name);
});

test('with a sample of 3, every third successful request is logged, the first included, and every error', async (t) => {
  const { write, entries } = open(3);
  for (let at = 0; at < 7; at += 1) {
    write({ ...ENTRY, requestId: `req_${at}` });
    write({ ...ENTRY, requestId: `error_${at}`, status: at % 2 === 0 ? 400 : 499 });
  }
  const ids = entries().map(({ requestId }) => requestId as string);
  t.strictSame(
    ids.filter((id) => id.startsWith('req')),
    ['req_0', 'req_3', 'req_6'],
  );
  t.equal(ids.filter((id) => id.startsWith('error')).length, 7);
});

test('a health check is logged at debug if it succeeds, and is no part of the sample', async (t) => {
  const check = { ...ENTRY, method: 'GET', path: '/health', phases: undefined };
  for (const [level, logged] of [
    ['info', ['/v1/decide 200', '/health 503']],
    ['debug', ['/health 200', '/v1/decide 200', '/health 503']],
  ] as const) {
    const { write, entries } = open(2, level);
    write(check);
    write(ENTRY);
    write({ ...check, status: 503, error: 'model_unavailable' });
    t.strictSame(
      entries().map(({ path, status }) => `${path} ${status}`),
      logged,
    );
  }
});

test('a line has the trace of the caller, and the span of this server if it is recorded', async (t) => {
  const { write, entries } = open(1);
  const [traceId, parentId] = ['a'.repeat(32), 'b'.repeat(16)];
  const traced = { ...ENTRY, traceParent: { traceId, parentId, sampled: true } };
  write(traced);
  write(traced, { traceId, spanId: 'c'.repeat(16) });
  write(ENTRY, { traceId: 'd'.repeat(32), spanId: 'c'.repeat(16) });
  const fields = entries().map(({ traceId, parentId, spanId }) => ({ traceId, parentId, spanId }));
  t.strictSame(fields, [
    { traceId, parentId, spanId: undefined },
    { traceId, parentId, spanId: 'c'.repeat(16) },
    { traceId: 'd'.repeat(32), parentId: undefined, spanId: 'c'.repeat(16) },
  ]);
  for (const entry of entries()) t.notOk('traceParent' in entry);
});
