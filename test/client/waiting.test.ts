import { test } from 'tap';
import { Decider, systemRuntime } from '../../src/client/index.js';
import { hastyClient, rawStub, refusal, refuses, response } from '../support/client/raw-stub.js';

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

for (const [minutes, ends] of [
  [10, false],
  [10.01, true],
] as const) {
  test(`a server that is away for ${minutes} minutes ${ends ? 'ends a wait' : 'does not'}`, async (t) => {
    const answers = [batch(false), BUSY, batch(true)];
    const { url } = await rawStub(t, ...answers);
    let now = 0;
    const runtime = {
      ...systemRuntime,
      now: () => now,
      after: (ms: number, callback: () => void) => systemRuntime.after(ms === 20_000 ? ms : 0, callback),
      fetch: async (...call: Parameters<typeof fetch>) => {
        const answer = await fetch(...call);
        if (answer.status === 503) now += minutes * 60_000;
        return answer;
      },
    };
    const decider = new Decider({ url, token: 'dk_test', timeoutMs: 20_000, retries: 0 }, runtime);
    if (ends) await refuses(t, decider.batches.wait('b'), { type: 'overloaded' });
    else t.equal((await decider.batches.wait('b')).results_available, true);
  });
}

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
