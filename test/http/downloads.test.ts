import { test } from 'tap';
import { DOWNLOADS_MAX, Downloads, SLOW_DOWNLOAD_BYTES_PER_SECOND } from '../../src/http/downloads.js';
import type { BodyStream } from '../../src/http/transport/transport-types.js';
import { fakeClock } from '../support/fake-clock.js';

const REFUSED = { name: 'ApiError', type: 'overloaded' };
const PIECE = new Uint8Array(SLOW_DOWNLOAD_BYTES_PER_SECOND);

/** Downloads on a clock that the test moves. */
function opened() {
  const clock = fakeClock();
  const downloads = new Downloads(clock);
  return {
    clock,
    /** Begins a download of a key, of the workspace that its name ends with. */
    begin(key: string) {
      const gone = new AbortController();
      const pieces = Array.from({ length: 1_000 }, () => PIECE);
      const stream: BodyStream = { pieces, type: 'text/plain', sent() {} };
      const owner = { key, workspace: key.at(-1) as string };
      const begun = downloads.begin(owner, { method: 'GET', signal: gone.signal }, stream);
      const iterator = (begun.pieces as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      return {
        key,
        gone,
        sent: () => begun.sent(),
        stopped: () => begun.stopped?.aborted === true,
        /** The client reads so many pieces. */
        async read(count: number) {
          for (let done = 0; done <= count; done += 1) await iterator.next();
        },
      };
    },
  };
}

const WORKSPACES = ['a', 'b', 'c', 'd'];
const KEYS = WORKSPACES.flatMap((workspace) => [`1${workspace}`, `2${workspace}`]);

test('slow downloads of others do not keep a caller out', async (t) => {
  const { begin, clock } = opened();
  const held = KEYS.flatMap((key) => Array.from({ length: DOWNLOADS_MAX.key }, () => begin(key)));
  t.equal(held.length, DOWNLOADS_MAX.all);
  clock.advance(1_000);
  t.throws(() => begin('1a'), REFUSED, 'in its first second no download is slow');
  clock.advance(1_000);
  for (const one of held.slice(1)) await one.read(1);
  const victim = begin('victim');
  t.ok(held[0]?.stopped(), 'the slowest');
  t.equal(held.filter(({ stopped }) => stopped()).length, 1);

  // The only download of a workspace keeps its place, although it is the slowest.
  clock.advance(60_000);
  const other = begin('another');
  t.notOk(victim.stopped());
  t.equal(held.filter(({ stopped }) => stopped()).length, 2);
  // A caller that has all of its own places ends one of its own.
  const own = held.filter(({ key, stopped }) => key === '1b' && !stopped());
  while (own.filter(({ stopped }) => !stopped()).length < DOWNLOADS_MAX.key) own.push(begin('1b'));
  clock.advance(60_000);
  const before = held.filter(({ stopped }) => stopped()).map(({ key }) => key);
  begin('1b');
  const ended = held.filter(({ stopped }) => stopped()).map(({ key }) => key);
  t.equal(ended.length, before.length + 1);
  t.equal(ended.filter((key) => key === '1b').length, before.filter((key) => key === '1b').length + 1);
  t.notOk(victim.stopped() || other.stopped());
});

test('fast downloads are not ended: one more is refused', async (t) => {
  const { begin, clock } = opened();
  const held = Array.from({ length: DOWNLOADS_MAX.key }, () => begin('1a'));
  clock.advance(10_000);
  for (const one of held) await one.read(10);
  t.throws(() => begin('1a'), REFUSED);
  held[3]?.sent();
  begin('1a');
  held[4]?.gone.abort();
  begin('1a');
  t.throws(() => begin('1a'), REFUSED);
  t.notOk(held.some(({ stopped }) => stopped()));
});

test('a workspace without a download gets a place, even if all others are fast', async (t) => {
  const { begin, clock } = opened();
  const held = KEYS.flatMap((key) => Array.from({ length: DOWNLOADS_MAX.key }, () => begin(key)));
  clock.advance(10_000);
  for (const [at, one] of held.entries()) await one.read(at === 5 ? 20 : 30);
  const victim = begin('victim');
  t.strictSame(
    held.flatMap(({ stopped }, at) => (stopped() ? [at] : [])),
    [5],
  );
  t.throws(() => begin('victim'), REFUSED, 'a second one needs a slow download');
  t.notOk(victim.stopped());
});

test('if no workspace has a second download, the slowest of all is ended', async (t) => {
  const { begin, clock } = opened();
  const held = Array.from({ length: DOWNLOADS_MAX.all }, (_, at) => begin(String.fromCodePoint(0x4e00 + at)));
  clock.advance(5_000);
  for (const [at, one] of held.entries()) if (at !== 7) await one.read(2);
  begin('z');
  t.strictSame(
    held.flatMap(({ stopped }, at) => (stopped() ? [at] : [])),
    [7],
  );
});
