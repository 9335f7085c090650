import { test } from 'tap';
import { SlidingWindow } from '../../src/access/sliding-window.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';

const MINUTE_MS = 60_000;
const MANY = 1_000_000;

interface Limits {
  bytesPerMinute: number;
  requestsPerMinute: number;
}

/** The rule, word by word: of any minute's requests, no more than so many and no more bytes than so many. */
class NaiveWindow {
  private readonly taken: Array<{ at: number; bytes: number }> = [];

  private fits(now: number, bytes: number, limits: Limits): boolean {
    const minute = this.taken.filter(({ at }) => at > now - MINUTE_MS);
    const sum = minute.reduce((total, each) => total + each.bytes, bytes);
    return minute.length + 1 <= limits.requestsPerMinute && sum <= limits.bytesPerMinute;
  }

  /** Whether it was taken. */
  take(now: number, bytes: number, limits: Limits): boolean {
    if (!this.fits(now, bytes, limits)) return false;
    this.taken.push({ at: now, bytes });
    return true;
  }

  add(time: number, requests: number, bytes: number): void {
    const each = Math.floor(bytes / requests);
    for (let at = 1; at <= requests; at += 1)
      this.taken.push({ at: time, bytes: at < requests ? each : bytes - each * (requests - 1) });
    this.taken.sort((one, other) => one.at - other.at);
  }

  /** The milliseconds until it fits, if nothing else comes. */
  wait(now: number, bytes: number, limits: Limits): number {
    const leaving = this.taken.map(({ at }) => at + MINUTE_MS).filter((at) => at > now);
    return (leaving.find((at) => this.fits(at, bytes, limits)) as number) - now;
  }
}

function compare({ integer, pick }: Random): string | null {
  const window = new SlidingWindow();
  const naive = new NaiveWindow();
  const limits = { bytesPerMinute: 1 + integer(2_000), requestsPerMinute: 1 + integer(150) };
  let now = 0;
  for (let request = 0; request < 600; request += 1) {
    now += pick([0, 0, 1, integer(100), integer(1_000), integer(100) === 0 ? integer(90_000) : 0]);
    if (integer(100) === 0) limits.requestsPerMinute = 1 + integer(150);
    if (integer(100) === 0) limits.bytesPerMinute = 1 + integer(2_000);
    if (integer(30) === 0) {
      const time = now - pick([0, integer(2_000), integer(90_000)]);
      const [requests, sum] = [1 + integer(10), integer(300)];
      naive.add(time, requests, sum);
      window.add(now, time, requests, sum);
    }
    const bytes = pick([
      0,
      1,
      integer(Math.min(30, limits.bytesPerMinute)),
      integer(limits.bytesPerMinute),
      limits.bytesPerMinute,
    ]);
    const expected = naive.take(now, bytes, limits) ? 0 : naive.wait(now, bytes, limits);
    const found = window.take(now, bytes, limits);
    if (found !== expected)
      return `request ${request} of ${bytes} bytes at ${now}: ${found}, not ${expected}`;
  }
  return null;
}

test('it accepts and refuses by the rule, and returns the wait to the millisecond', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  for (let round = 0; round < 200; round += 1) t.equal(compare(source), null, `round ${round}`);
});

test('requests: exactly as many as the limit, and one more when the first is a minute old', async (t) => {
  for (const requestsPerMinute of [1, 2, 63, 64, 65, 1_000]) {
    const limits = { bytesPerMinute: MANY, requestsPerMinute };
    const window = new SlidingWindow();
    for (let at = 0; at < requestsPerMinute; at += 1) t.equal(window.take(at, 1, limits), 0);
    t.equal(window.take(1_000, 1, limits), MINUTE_MS - 1_000);
    t.equal(window.take(MINUTE_MS - 1, 1, limits), 1);
    t.equal(window.take(MINUTE_MS, 1, limits), 0, 'what was refused has not counted');
    t.equal(window.take(MINUTE_MS, 1, limits), requestsPerMinute === 1 ? MINUTE_MS : 1);
  }
});

test('bytes: to the byte, and a refused one waits for as many old ones as it needs', async (t) => {
  const limits = { bytesPerMinute: 100, requestsPerMinute: MANY };
  const window = new SlidingWindow();
  for (const [at, bytes] of [
    [0, 10],
    [1, 20],
    [2, 70],
  ] as const) {
    t.equal(window.take(at, bytes, limits), 0);
  }
  t.equal(window.take(10, 0, limits), 0, 'an empty one always fits');
  t.equal(window.take(10, 1, limits), MINUTE_MS - 10, 'the first leaves enough');
  t.equal(window.take(10, 10, limits), MINUTE_MS - 10);
  t.equal(window.take(10, 11, limits), MINUTE_MS - 9, 'the second must leave too');
  t.equal(window.take(10, 100, limits), MINUTE_MS - 8);
  t.equal(window.take(MINUTE_MS + 2, 100, limits), 0);
});

test('lowered and raised limits apply at once', async (t) => {
  const window = new SlidingWindow();
  const limits = (requestsPerMinute: number) => ({ bytesPerMinute: MANY, requestsPerMinute });
  for (let at = 0; at < 10; at += 1) t.equal(window.take(at, 1, limits(10)), 0);
  t.equal(window.take(20, 1, limits(3)), MINUTE_MS + 7 - 20, 'eight of ten must leave');
  t.equal(window.take(20, 1, limits(11)), 0);
});

test('a window is idle when its last request is a minute old', async (t) => {
  const window = new SlidingWindow();
  const limits = { bytesPerMinute: MANY, requestsPerMinute: MANY };
  t.ok(window.isIdle(0));
  window.take(5, 1, limits);
  t.notOk(window.isIdle(MINUTE_MS + 4));
  t.ok(window.isIdle(MINUTE_MS + 5));
});

test('requests taken elsewhere count too, also beyond the limits', async (t) => {
  const window = new SlidingWindow();
  const limits = { bytesPerMinute: 100, requestsPerMinute: 5 };
  t.equal(window.take(0, 10, limits), 0);
  window.add(1_500, 1_000, 3, 20);
  t.match(window.left(1_500, limits), { requests: 1, bytes: 70 });
  window.add(2_500, 2_000, 7, 90);
  t.match(window.left(2_500, limits), { requests: 0, bytes: 0 });
  t.equal(window.take(2_500, 1, limits), MINUTE_MS - 500, 'until seven of the eleven are gone');
  window.add(2_500, 1_500, 1, 1);
  t.equal(window.take(2_500, 1, limits), MINUTE_MS - 500);
  t.match(window.left(MINUTE_MS + 1_999, limits), { requests: 0, bytes: 10 });
  t.match(window.left(MINUTE_MS + 2_000, limits), { requests: 5, bytes: 100 });
});
