import type { Socket } from 'node:net';
import { test } from 'tap';
import { Decider, systemRuntime } from '../../src/client/index.js';
import { hastyClient, rawStub, refusal, refuses, response } from '../support/client/raw-stub.js';
import { PATIENCE_MS } from '../support/until.js';

const batch = (available: boolean) =>
  response(JSON.stringify({ id: 'b', lines: 1, results_available: available }));
const BUSY = refusal('overloaded', '503 Service Unavailable');

test('a wait goes on while the server is busy or away', async (t) => {
  const away = [BUSY, BUSY, BUSY, BUSY, '', '', response('<html>', '502 Bad Gateway')];
  const { url, requests } = await rawStub(t, batch(false), ...away, batch(false), batch(true));
  const { decider } = hastyClient(url);
  const seen: boolean[] = [];
  const options = {
    onProgress: ({ results_available }: { results_available: boolean }) => seen.push(results_available),
  };
  t.equal((await decider.batches.wait('b', options)).results_available, true);
  t.strictSame(seen, [false, false, true]);
  t.equal(requests.length, away.length + 3);
});

test('a wait ends with an error that does not pass', async (t) => {
  const { url } = await rawStub(t, batch(false), refusal('batch_not_found', '404 Not Found'));
  await refuses(t, hastyClient(url).decider.batches.wait('b'), { type: 'batch_not_found' });
});

const MINUTE_MS = 60_000;

/** A client whose waits take no time but on its clock, and what moves the clock. The wall clock jumps with every look at it. */
function clockedClient(url: string) {
  let now = 0;
  let wall = 0;
  const runtime = {
    ...systemRuntime,
    now: () => {
      wall += 60 * MINUTE_MS;
      return wall;
    },
    monotonic: () => now,
    after(ms: number, callback: () => void) {
      if (ms === PATIENCE_MS) return systemRuntime.after(ms, callback);
      now += ms;
      return systemRuntime.after(0, callback);
    },
  };
  const decider = new Decider({ url, token: 'dk_test', timeoutMs: PATIENCE_MS, retries: 0 }, runtime);
  return { decider, advance: (ms: number) => (now += ms) };
}

for (const [minutes, ends] of [
  [10, false],
  [10.01, true],
] as const) {
  test(`a server that is away for ${minutes} minutes ${ends ? 'ends a wait' : 'does not'}`, async (t) => {
    // The first failure comes at once, the second so much later; the wait of 2 s between them is a part of it.
    const second = (socket: Socket) => {
      advance(minutes * MINUTE_MS - 2_000);
      socket.end(BUSY);
    };
    const { url } = await rawStub(t, batch(false), BUSY, second, batch(true));
    const { decider, advance } = clockedClient(url);
    if (ends) await refuses(t, decider.batches.wait('b'), { type: 'overloaded' });
    else t.equal((await decider.batches.wait('b')).results_available, true);
  });
}

test('the patience with a server begins at its first failure', async (t) => {
  const { url } = await rawStub(t, batch(false), BUSY, BUSY, batch(false), BUSY, BUSY, batch(true));
  const { decider } = clockedClient(url);
  const found = await decider.batches.wait('b', { pollMs: 15 * MINUTE_MS });
  t.equal(found.results_available, true);
});

test('a long wait that the server asks for is not its absence', async (t) => {
  const closed = refusal('overloaded', '503 Service Unavailable', 'Retry-After: 3600\r\n');
  const { url } = await rawStub(t, closed, closed, BUSY, batch(true));
  t.equal((await clockedClient(url).decider.batches.wait('b')).results_available, true);
});

test('an interval that a timer cannot take is refused', async (t) => {
  const { url, requests } = await rawStub(t, batch(true));
  const { decider } = hastyClient(url);
  for (const pollMs of [-1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY]) {
    await refuses(t, decider.batches.wait('b', { pollMs }), { name: 'TypeError', message: /^pollMs: / });
  }
  t.equal(requests.length, 0);
  for (const pollMs of [0, 2 ** 31 - 1]) await decider.batches.wait('b', { pollMs });
});

test('what a busy server asks for is waited for, at most an hour', async (t) => {
  for (const [asked, waited] of [
    [7, 7_000],
    [3_600, 3_600_000],
    [99_999_999, 3_600_000],
  ]) {
    const busy = refusal('overloaded', '503 Service Unavailable', `Retry-After: ${asked}\r\n`);
    const { url } = await rawStub(t, busy, batch(true));
    const { decider, waits } = hastyClient(url, { retries: 0 });
    await decider.batches.wait('b');
    t.strictSame(waits, [waited]);
  }
});
