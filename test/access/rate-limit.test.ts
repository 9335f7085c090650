import { test } from 'tap';
import { RateLimiter } from '../../src/access/rate-limit.js';
import { BYTES_PER_MINUTE_MAX, REQUESTS_PER_MINUTE_MAX } from '../../src/access/workspaces.js';
import { systemClock } from '../../src/base/index.js';
import { changeWorkspace, createKey, createWorkspace } from '../support/access/folder-changes.js';
import { opened, thrown } from '../support/access/opened.js';
import { fakeClock } from '../support/fake-clock.js';

const limits = { bytesPerMinute: 100, requestsPerMinute: 2 };

/** What a refusal tells. */
function refusal(work: () => void): { type: string; headers: { retryAfterSeconds: number } } | null {
  try {
    work();
    return null;
  } catch (error) {
    return error as NonNullable<ReturnType<typeof refusal>>;
  }
}

test('contract 8: the default limits are 256 MiB and 6,000 requests per minute and key', async (t) => {
  const { access, caller, clock, workspace } = opened(t);
  const one = workspace('acme', 1n);
  const half = 128 * 2 ** 20;
  access.admit(caller(one.token), half);
  access.admit(caller(one.token), half);
  t.equal(
    thrown(() => access.admit(caller(one.token), 1)),
    'rate_limited',
  );
  clock.advance(60_000);
  for (let request = 0; request < 6_000; request += 1) access.admit(caller(one.token), 1);
  t.equal(
    thrown(() => access.admit(caller(one.token), 0)),
    'rate_limited',
  );
});

test('the rest of the limits, and the time until none of them is used', async (t) => {
  const { access, caller, clock, store, workspace } = opened(t);
  const { token } = workspace('acme', 1n);
  changeWorkspace(store, clock, 'acme', limits);
  const left = () => access.ratesLeft(caller(token));
  t.strictSame(left(), { requests: 2, bytes: 100, resetMs: 0 });
  access.admit(caller(token), 40);
  t.strictSame(left(), { requests: 1, bytes: 60, resetMs: 60_000 });
  clock.advance(10_250);
  access.admit(caller(token), 60);
  clock.advance(500);
  t.strictSame(left(), { requests: 0, bytes: 0, resetMs: 59_500 });
  clock.advance(49_250);
  t.strictSame(left(), { requests: 1, bytes: 40, resetMs: 10_250 });
  changeWorkspace(store, clock, 'acme', { requestsPerMinute: 1, bytesPerMinute: 30 });
  t.strictSame(left(), { requests: 0, bytes: 0, resetMs: 10_250 }, 'never below 0');
  clock.advance(10_250);
  t.strictSame(left(), { requests: 1, bytes: 30, resetMs: 0 });
});

test('Retry-After is the time after which the same request is let in, and a millisecond less is too soon', async (t) => {
  const { access, caller, clock, store, workspace } = opened(t);
  const { token } = workspace('acme', 1n);
  changeWorkspace(store, clock, 'acme', limits);
  const admit = () => access.admit(caller(token), 40);
  admit();
  clock.advance(10_250);
  admit();
  clock.advance(500);
  const told = refusal(admit);
  t.match(told, { type: 'rate_limited', headers: { retryAfterSeconds: 49.25 } });
  clock.advance(49_249);
  t.equal(thrown(admit), 'rate_limited');
  clock.advance(1);
  t.equal(thrown(admit), null);
  t.match(refusal(admit), { headers: { retryAfterSeconds: 10.25 } });
});

test('a body that is larger than the limit of a minute is refused for good, whatever else was sent', async (t) => {
  const { access, caller, clock, store, workspace } = opened(t);
  const { token } = workspace('acme', 1n);
  changeWorkspace(store, clock, 'acme', limits);
  for (const sent of [0, 60]) {
    access.admit(caller(token), sent);
    const refused = refusal(() => access.admit(caller(token), 101));
    t.match(refused, {
      type: 'rate_limited',
      message: /101 bytes.* 100 bytes per minute/,
      headers: { final: true },
    });
    t.equal(refused?.headers.retryAfterSeconds, undefined, 'no wait helps');
  }
  clock.advance(60_000);
  access.admit(caller(token), 100);
  t.ok(
    refusal(() => access.admit(caller(token), 100))?.headers.retryAfterSeconds,
    'at the limit, a wait helps',
  );
});

test('each key has its own limits; a workspace’s new limits apply from the next request', async (t) => {
  const { access, caller, clock, store, workspace } = opened(t);
  const one = workspace('acme', 1n);
  const two = createKey(store, clock, 'acme');
  changeWorkspace(store, clock, 'acme', { requestsPerMinute: 1 });
  for (const { token } of [one, two]) {
    t.equal(
      thrown(() => access.admit(caller(token), 1)),
      null,
    );
    t.equal(
      thrown(() => access.admit(caller(token), 1)),
      'rate_limited',
    );
  }
  changeWorkspace(store, clock, 'acme', { requestsPerMinute: 2 });
  for (const { token } of [one, two])
    t.equal(
      thrown(() => access.admit(caller(token), 1)),
      null,
    );
});

test('setting the clock changes no limit', async (t) => {
  const { access, caller, clock, store, workspace } = opened(t);
  const { token } = workspace('acme', 1n);
  changeWorkspace(store, clock, 'acme', { requestsPerMinute: 1 });
  access.admit(caller(token), 1);
  for (const now of [0, clock.now() + 3_600_000]) {
    clock.set(now);
    t.equal(
      thrown(() => access.admit(caller(token), 1)),
      'rate_limited',
    );
  }
  clock.advance(60_000);
  t.equal(
    thrown(() => access.admit(caller(token), 1)),
    null,
  );
});

test('a request of a paused key is refused as paused, and not counted', async (t) => {
  const { access, caller, store, workspace } = opened(t);
  const { token } = workspace('acme', 1n);
  changeWorkspace(store, systemClock, 'acme', { requestsPerMinute: 1, budget: 0n });
  for (let round = 0; round < 3; round += 1) {
    t.equal(
      thrown(() => access.admit(caller(token), 1)),
      'budget_exceeded',
    );
  }
  changeWorkspace(store, systemClock, 'acme', { budget: null });
  t.equal(
    thrown(() => access.admit(caller(token), 1)),
    null,
  );
});

test('thousands of keys: each has its own limit, and idle ones are removed', async (t) => {
  const clock = fakeClock();
  const limiter = new RateLimiter(clock);
  const windows = limiter['windows'];
  const take = (key: number) =>
    thrown(() => limiter.take(`key_${key}`, 1, { ...limits, requestsPerMinute: 1 }));
  for (let key = 0; key < 5_000; key += 1) if (take(key) !== null) t.fail(`key ${key}`);
  t.equal(windows.size, 5_000, 'every key that was used in the last minute is kept');
  for (let key = 0; key < 5_000; key += 1) if (take(key) !== 'rate_limited') t.fail(`key ${key}`);
  clock.advance(60_000);
  for (let key = 10_000; key < 20_000; key += 1) if (take(key) !== null) t.fail(`key ${key}`);
  t.equal(windows.size, 10_000, 'those of the minute before are gone');
});

test('a wait that one process names is long enough for the process that counts exactly', async (t) => {
  const clock = fakeClock();
  const [early, one] = [2_000, { ...limits, requestsPerMinute: 1 }];
  const [exact, other] = [new RateLimiter(clock, early), new RateLimiter(clock, early)];
  exact.take('key', 1, one);
  const came = clock.monotonic();
  clock.advance(10_000);
  other.add('key', came - early, 1, 1);
  const refused = refusal(() => other.take('key', 1, one));
  t.equal(refused?.headers.retryAfterSeconds, 50);
  t.equal(other.left('key', one).resetMs, 50_000);
  t.equal(exact.left('key', one).resetMs, 52_000);
  clock.advance(49_999);
  t.match(exact.left('key', one), { requests: 0, resetMs: 1 + early });
  t.match(other.left('key', one), { requests: 1, resetMs: 0 });
  clock.advance(1);
  t.match(exact.left('key', one), { requests: 1, resetMs: 0 });
  exact.take('key', 1, one);
  t.equal(exact.left('key', one).resetMs, 60_000, 'a minute at most');
});

test('limits out of bounds are refused, limits at the bounds are accepted', async (t) => {
  const { clock, store } = opened(t);
  createWorkspace(store, clock, 'acme');
  for (const [name, field, max] of [
    ['requests-per-minute', 'requestsPerMinute', REQUESTS_PER_MINUTE_MAX],
    ['bytes-per-minute', 'bytesPerMinute', BYTES_PER_MINUTE_MAX],
  ] as const) {
    for (const value of [1, max])
      t.equal(changeWorkspace(store, clock, 'acme', { [field]: value })[field], value);
    for (const value of [0, -1, 1.5, max + 1, Number.NaN]) {
      t.throws(() => changeWorkspace(store, clock, 'acme', { [field]: value }), {
        name: 'AccessError',
        message: `${name}: it must be a whole number from 1 to ${max}.`,
      });
    }
  }
});
