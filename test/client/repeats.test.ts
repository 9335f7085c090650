import { type Test, test } from 'tap';
import { BATCH_FILE_BYTES_MAX } from '../../src/client/batch-lines.js';
import {
  Decider,
  type DeciderError,
  type DeciderOptions,
  type DecisionsRequest,
  noul,
  systemRuntime,
} from '../../src/client/index.js';
import { hastyClient, rawStub, refusal, response } from '../support/client/raw-stub.js';
import { fakeClock } from '../support/fake-clock.js';
import { PATIENCE_MS } from '../support/until.js';

const REQUEST = { state: 'x', questions: { q: noul('Is it?') } };
const ANSWER = response('{"model":"m","answers":{},"usage":{}}');

const errorOf = (call: Promise<unknown>): Promise<DeciderError> =>
  call.then(
    () => {
      throw new Error('it was answered');
    },
    (error) => error,
  );

test('which statuses are sent again, and with which wait', async (t) => {
  const waitsOf: Record<number, readonly number[]> = {
    408: [1_000, 1_000],
    429: [1_000, 1_000],
    500: [500, 1_000],
    503: [1_000, 1_000],
    ...Object.fromEntries(
      [400, 401, 402, 403, 404, 409, 411, 413, 415, 422, 502, 504].map((one) => [one, []]),
    ),
  };
  for (const [status, waited] of Object.entries(waitsOf)) {
    const { url, requests } = await rawStub(t, refusal('overloaded', `${status} Status`));
    const { decider, waits } = hastyClient(url);
    const { outcomeUnknown } = await errorOf(decider.decide(REQUEST));
    t.strictSame([requests.length, waits], [waited.length + 1, waited], status);
    t.equal(outcomeUnknown, ['502', '504'].includes(status), status);
  }
});

test('a fault without a body of the server is sent again where that charges nothing', async (t) => {
  const bodies = ['', '<html>', '{}', '{"error":"x"}', '{"error":{"message":"x"}}', '{"type":"x"}', '[]'];
  for (const [at, status] of [500, 502, 503, 504, 520, 521, 522, 523, 524].entries()) {
    const page = response(bodies[at % bodies.length] as string, `${status} Status`, 'Retry-After: 0\r\n');
    const { url, requests } = await rawStub(t, page);
    const { decider } = hastyClient(url);
    const state = 'x';
    const charged = [
      () => decider.decide(REQUEST),
      () => decider.decisions({ model: 'm', input: 'x', questions: [] }),
      () => decider.tasks.decide('t', { state }),
      () => decider.tasks.label('t', [{ state, expected: { q: true } }]),
    ];
    for (const call of charged) {
      requests.length = 0;
      t.match(await errorOf(call()), { type: 'unknown', status, outcomeUnknown: true, isTemporary: true });
      t.equal(requests.length, 1, `${status}`);
    }
    const calls = [
      () => decider.limits(),
      () => decider.batches.cancel('b'),
      () => decider.batches.submit('{}\n'),
    ];
    for (const call of calls) {
      requests.length = 0;
      t.match(await errorOf(call()), { type: 'unknown', outcomeUnknown: true });
      t.equal(requests.length, 3);
    }
  }
});

test('other pages of a proxy say that nothing was done', async (t) => {
  for (const [status, sent] of [
    [403, 1],
    [408, 3],
    [429, 3],
  ] as const) {
    const { url, requests } = await rawStub(t, response('<html>', `${status} Status`));
    const error = await errorOf(hastyClient(url).decider.decide(REQUEST));
    t.match(error, { type: 'unknown', outcomeUnknown: false });
    t.equal(requests.length, sent, `${status}`);
  }
  const { url } = await rawStub(t, response('<html>', '530 Status'));
  t.match(await errorOf(hastyClient(url).decider.limits()), { outcomeUnknown: true, isTemporary: false });
});

test('Retry-After: seconds, a date, and more than a minute', async (t) => {
  // Where a date without a zone would be another time.
  const zone = process.env.TZ;
  process.env.TZ = 'Pacific/Auckland';
  t.teardown(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  const clock = fakeClock(Date.UTC(2026, 0, 1));
  for (const [value, waited] of [
    ['7', [7_000]],
    ['60', [60_000]],
    ['61', null],
    ['99999999999', null],
    ['Thu, 01 Jan 2026 00:00:05 GMT', [5_000]],
    ['Thursday, 01-Jan-26 00:00:05 GMT', [5_000]],
    ['Thu Jan  1 00:00:05 2026', [5_000]],
    ['Thu, 01 Jan 1970 00:00:00 GMT', [0]],
    ['Thu Jan  1 00:00:05 1970', [0]],
    ['soon', [1_000]],
    ['-1', [1_000]],
  ] as const) {
    const busy = refusal('overloaded', '503 Service Unavailable', `Retry-After: ${value}\r\n`);
    const { url, requests } = await rawStub(t, busy, ANSWER);
    const waits: number[] = [];
    const runtime = {
      ...systemRuntime,
      now: clock.now,
      random: () => 0,
      after(ms: number, callback: () => void) {
        if (ms === PATIENCE_MS) return systemRuntime.after(ms, callback);
        waits.push(ms);
        return systemRuntime.after(0, callback);
      },
    };
    const decider = new Decider({ url, token: 'dk_test', timeoutMs: PATIENCE_MS }, runtime);
    const outcome = await decider.decide(REQUEST).catch((error) => error);
    if (waited === null) t.match(outcome, { type: 'overloaded', retryAfterSeconds: Number(value) }, value);
    t.strictSame([requests.length, waits], waited === null ? [1, []] : [2, waited], value);
  }
});

test('X-Should-Retry: false is obeyed, and so is the number of retries', async (t) => {
  const final = refusal('batch_unavailable', '503 Service Unavailable', 'X-Should-Retry: false\r\n');
  const stubs = [
    await rawStub(t, final),
    await rawStub(t, refusal('overloaded', '503 Service Unavailable')),
  ] as const;
  await errorOf(hastyClient(stubs[0].url).decider.limits());
  t.equal(stubs[0].requests.length, 1);
  for (const retries of [0, 1, 5]) {
    stubs[1].requests.length = 0;
    await errorOf(hastyClient(stubs[1].url, { retries }).decider.limits());
    t.equal(stubs[1].requests.length, retries + 1);
  }
});

test('waits are spread by up to a quarter', async (t) => {
  const { url } = await rawStub(
    t,
    refusal('overloaded', '503 Service Unavailable', 'Retry-After: 4\r\n'),
    ANSWER,
  );
  const waits: number[] = [];
  const runtime = {
    ...systemRuntime,
    random: () => 0.5,
    after(ms: number, callback: () => void) {
      waits.push(ms);
      return systemRuntime.after(0, ms === 1_234_000 ? () => {} : callback);
    },
  };
  await new Decider({ url, token: 'dk_test', timeoutMs: 1_234_000 }, runtime).decide(REQUEST);
  t.ok(waits.includes(4_500), String(waits));
});

const stopped = (signal: AbortSignal) =>
  [
    ['decide', (decider: Decider) => decider.decide(REQUEST, { signal })],
    ['limits', (decider: Decider) => decider.limits({ signal })],
    ['batches.wait', (decider: Decider) => decider.batches.wait('b', { signal })],
    ['batches.results', (decider: Decider) => decider.batches.results('b', { signal }).next()],
  ] as const;

async function rejectsWith(t: Test, call: Promise<unknown>, reason: unknown, name: string): Promise<void> {
  t.equal(
    await call.then(
      () => 'answered',
      (error) => error,
    ),
    reason,
    name,
  );
}

test('a signal that has aborted: nothing is sent', async (t) => {
  const { url, requests } = await rawStub(t, ANSWER);
  const signal = AbortSignal.abort('enough');
  for (const [name, call] of stopped(signal))
    await rejectsWith(t, call(hastyClient(url).decider), 'enough', name);
  t.equal(requests.length, 0);
});

test('a signal that aborts while the response is awaited, within its body, and between two attempts', async (t) => {
  const begun = (head: string) => (socket: { write(text: string): void }) => socket.write(head);
  for (const head of [
    '',
    'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{',
    'HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\n{',
  ]) {
    for (const at of [0, 1, 2, 3]) {
      const control = new AbortController();
      const { url } = await rawStub(t, (socket) => {
        begun(head)(socket);
        setTimeout(() => control.abort('enough'), 20);
      });
      const [name, call] = stopped(control.signal)[at] as ReturnType<typeof stopped>[number];
      await rejectsWith(t, call(hastyClient(url).decider), 'enough', `${name} ${head}`);
    }
  }
  const control = new AbortController();
  const { url, requests } = await rawStub(
    t,
    refusal('overloaded', '503 Service Unavailable', 'Retry-After: 60\r\n'),
  );
  const runtime = {
    ...systemRuntime,
    random: () => 0,
    after(ms: number, callback: () => void) {
      if (ms === 60_000) setImmediate(() => control.abort('enough'));
      return systemRuntime.after(ms, callback);
    },
  };
  const call = new Decider({ url, token: 'dk_test' }, runtime).decide(REQUEST, { signal: control.signal });
  await rejectsWith(t, call, 'enough', 'between two attempts');
  t.equal(requests.length, 1);
});

test('a response that does not come, or never ends: timeout, and a decision is not sent again', async (t) => {
  const timers = new Set<() => void>();
  const runtime = {
    ...systemRuntime,
    after(ms: number, callback: () => void) {
      if (ms !== 5_000) return systemRuntime.after(0, callback);
      timers.add(callback);
      return () => void timers.delete(callback);
    },
  };
  for (const head of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{']) {
    const { url, requests } = await rawStub(t, (socket) => {
      socket.write(head);
      for (const callback of timers) callback();
    });
    const decider = new Decider({ url, token: 'dk_test', timeoutMs: 5_000 }, runtime);
    t.match(await errorOf(decider.decide(REQUEST)), { type: 'timeout', outcomeUnknown: true, status: null });
    t.equal(requests.length, 1);
    t.match(await errorOf(decider.limits()), { type: 'timeout' });
    t.equal(requests.length, 4);
    t.equal(timers.size, 0);
  }
});

test('a signal that aborts while an image, a line or a label is awaited', async (t) => {
  const { url, requests } = await rawStub(t, ANSWER);
  const { decider } = hastyClient(url);
  const images = { '[i]': new Promise<Blob>(() => {}) };
  const state = '[i]';
  async function* never(): AsyncGenerator<never, void> {
    await new Promise(() => {});
  }
  const line = { ...REQUEST, custom_id: 'a', model: 'm', images };
  const calls: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
    decide: (signal) => decider.decide({ ...REQUEST, images }, { signal }),
    'tasks.decide': (signal) => decider.tasks.decide('t', { state, images }, { signal }),
    submit: (signal) => decider.batches.submit([line], { signal }),
    run: (signal) => decider.batches.run([line], { signal }).next(),
    'submit, lines': (signal) => decider.batches.submit(never(), { signal }),
    label: (signal) => decider.tasks.label('t', [{ state, images, expected: {} }], { signal }),
    'label, labels': (signal) => decider.tasks.label('t', never(), { signal }),
    labelLines: (signal) => decider.tasks.labelLines('t', never(), { signal }),
  };
  for (const [name, call] of Object.entries(calls)) {
    await rejectsWith(t, call(AbortSignal.abort('before')), 'before', name);
    const control = new AbortController();
    setImmediate(() => control.abort('enough'));
    await rejectsWith(t, call(control.signal), 'enough', name);
  }
  t.equal(requests.length, 0);
});

test('a signal does not keep what it was used for', async (t) => {
  const { url } = await rawStub(t, ANSWER);
  const { decider } = hastyClient(url);
  const { signal } = new AbortController();
  let listeners = 0;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...args);
  };
  for (let call = 0; call < 10; call += 1) await decider.decide(REQUEST, { signal });
  t.equal(listeners, 0);
});

test('retries and a time limit that cannot be used are refused', async (t) => {
  const make = (options: DeciderOptions) => () => new Decider({ token: 'dk_test', ...options });
  for (const timeoutMs of [0, -1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])
    t.throws(make({ timeoutMs }), {
      name: 'TypeError',
      message: /^timeoutMs: must be .* from 1 to 2147483647\.$/,
    });
  for (const retries of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
    t.throws(make({ retries }), { name: 'TypeError', message: /^retries: must be a whole number from 0\.$/ });
  for (const options of [{ timeoutMs: 1 }, { timeoutMs: 2 ** 31 - 1 }, { retries: 0 }]) make(options)();
});

test('a batch file that is too large is not sent', async (t) => {
  let sent = 0;
  const send: typeof fetch = async () => {
    sent += 1;
    return new Response('{"id":"b"}');
  };
  const { batches } = new Decider({ token: 'dk_test', fetch: send });
  const bytes = new Uint8Array(BATCH_FILE_BYTES_MAX + 1);
  // Characters of two bytes.
  for (const file of [bytes, new Blob([bytes]), 'é'.repeat(BATCH_FILE_BYTES_MAX / 2 + 1)])
    t.match(await errorOf(batches.submit(file)), { type: 'body_too_large', status: null });
  t.equal(sent, 0);
  await batches.submit(bytes.subarray(1));
  t.equal(sent, 1);
});

test('the usual time limit follows from the questions and the orders of their options', async (t) => {
  const limits: number[] = [];
  const runtime = {
    ...systemRuntime,
    fetch: async () => new Response('{"answers":{}}'),
    after(ms: number) {
      limits.push(ms);
      return () => {};
    },
  };
  const decider = new Decider({ token: 'dk_test' }, runtime);
  const questions = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, noul('Is it?')]));
  for (const [count, optionRotations, seconds] of [
    [1, undefined, 150],
    [16, undefined, 150],
    [17, undefined, 210],
    [8, 2, 150],
    [9, 2, 210],
    [1, Number.NaN, 150],
    [1, 2 ** 40, (2 ** 31 - 1) / 1_000],
  ] as const) {
    limits.length = 0;
    await decider.decide({ state: 'x', questions: questions(count) }, { optionRotations });
    t.strictSame(limits, [seconds * 1_000], `${count} ${optionRotations}`);
  }
  limits.length = 0;
  const many = Array.from({ length: 400 }, () => ({}));
  await decider.decisions({ questions: many } as unknown as DecisionsRequest);
  await new Decider({ timeoutMs: 7 }, runtime).decide({ state: 'x', questions: questions(17) });
  t.strictSame(limits, [1_590_000, 7]);
});
