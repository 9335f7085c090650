import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { collectBody } from '../../src/http/body.js';
import { BLOCKS_MAX, BodyBlocks } from '../../src/http/body-blocks.js';
import { BodyMemory, bodyShares } from '../../src/http/body-memory.js';
import { type BodyListener, ClientGone } from '../../src/http/transport/transport-types.js';
import { fakeClock } from '../support/fake-clock.js';

const MIB = 1024 * 1024;
const KIB = 1024;
/** What a body that has begun has: the first step. */
const FIRST_BYTES = 64 * KIB;
const LIMIT_BYTES = 512 * MIB;
const owner = (key: string, workspace = key) => ({ key, workspace });

/** Bodies that the test brings in by hand. */
function receiver(limitBytes = LIMIT_BYTES) {
  const clock = fakeClock();
  const memory = new BodyMemory(limitBytes, clock);
  const deadlines = { stallMs: 8_000, stallBytes: FIRST_BYTES, totalMs: 60_000 };
  const begin = (length: number, of = owner('k')) => {
    const gone = new AbortController();
    let listener: BodyListener = () => {};
    const onBody = (given: BodyListener) => {
      listener = given;
    };
    const incoming = { method: 'POST', target: '/', headers: [], peer: '', signal: gone.signal, onBody };
    const place = memory.take(of, length);
    const body = collectBody(incoming, place, deadlines, clock);
    body.catch(() => place.release());
    const feed = (bytes: number | string | Buffer) =>
      listener(typeof bytes === 'number' ? Buffer.alloc(bytes) : Buffer.from(bytes), false);
    return { body, place, gone, feed };
  };
  return { clock, memory, begin };
}

test('a body of which 64 KiB arrive in every 8 seconds may take a minute in total', async (t) => {
  const { clock, begin } = receiver();
  const { body, feed } = begin(10 * MIB);
  for (let at = 0; at < 8; at += 1) {
    clock.advance(7_400);
    feed(FIRST_BYTES);
  }
  clock.advance(799);
  t.equal(clock.timers(), 1);
  clock.advance(1);
  await t.rejects(body, {
    type: 'request_timeout',
    message: `Only ${8 * FIRST_BYTES} of ${10 * MIB} bytes of the body arrived in time.`,
  });
  feed('a chunk too late is ignored');
  t.equal(clock.timers(), 0);
});

test('a body of which one byte less than 64 KiB arrives in 8 seconds is refused', async (t) => {
  const { clock, begin } = receiver();
  const { body, feed } = begin(10 * MIB);
  feed(FIRST_BYTES);
  for (let second = 0; second < 7; second += 1) {
    clock.advance(1_000);
    feed(1);
  }
  feed(FIRST_BYTES - 8);
  clock.advance(999);
  t.equal(clock.timers(), 1);
  clock.advance(1);
  await t.rejects(body, { type: 'request_timeout' } as never);
});

test('a short body has 8 seconds, however it arrives', async (t) => {
  const { clock, begin } = receiver();
  const whole = begin(3);
  clock.advance(7_999);
  whole.feed('abc');
  t.equal((await whole.body).toString(), 'abc');
  const { body, feed } = begin(3);
  clock.advance(7_999);
  feed('a');
  clock.advance(1);
  await t.rejects(body, { name: 'ApiError', message: 'Only 1 of 3 bytes of the body arrived in time.' });
});

test('a body is a copy of the received bytes, in memory of its own length', async (t) => {
  const { clock, begin } = receiver();
  const { body, feed } = begin(6);
  feed('abc');
  feed('');
  feed('def');
  const whole = await body;
  t.equal(whole.toString(), 'abcdef');
  t.equal(whole.buffer.byteLength, 6, 'not a part of a shared pool');
  t.equal(clock.timers(), 0);
});

test('a body keeps its bytes while its memory grows', async (t) => {
  const { begin } = receiver();
  for (const length of [FIRST_BYTES, FIRST_BYTES + 1, MIB - 1, MIB, 5 * MIB, LIMITS.bodyBytes]) {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at += 1_000) bytes.writeUInt8((at / 1_000) % 251, at);
    const { body, feed, place } = begin(length);
    for (let at = 0; at < length; at += 300 * KIB) feed(bytes.subarray(at, at + 300 * KIB));
    const whole = await body;
    t.ok(whole.equals(bytes), String(length));
    t.equal(whole.buffer instanceof SharedArrayBuffer, length >= MIB, 'large ones in shared memory');
    place.release();
  }
});

test('a disconnect of the client is the reason of the rejection', async (t) => {
  const { clock, begin } = receiver();
  const { gone, body } = begin(6);
  gone.abort(new ClientGone());
  await t.rejects(body, ClientGone);
  t.equal(clock.timers(), 0);
});

test('announced bytes take no memory: two keys with eight sockets each do not stop another key', async (t) => {
  const { clock, begin } = receiver();
  const trickling = Array.from({ length: 16 }, (_, at) => begin(LIMITS.bodyBytes, owner(`bad ${at % 2}`)));
  for (let second = 0; second < 7; second += 1) {
    clock.advance(1_000);
    for (const { feed } of trickling) feed(1);
  }
  const large = begin(LIMITS.bodyBytes, owner('good'));
  for (let part = 0; part < 32; part += 1) large.feed(MIB);
  t.equal((await large.body).length, LIMITS.bodyBytes);
  clock.advance(1_000);
  const ended = await Promise.allSettled(trickling.map(({ body }) => body));
  t.ok(ended.every((each) => each.status === 'rejected' && each.reason.type === 'request_timeout'));
});

test('without free memory the slowest body is refused, never a complete, fast or new one', async (t) => {
  const { clock, memory, begin } = receiver(4 * FIRST_BYTES);
  const length = FIRST_BYTES;
  const whole = begin(length, owner('whole'));
  whole.feed(length);
  const slow = begin(length, owner('slow'));
  slow.feed(20);
  const slowest = begin(length, owner('slowest'));
  slowest.feed(10);
  clock.advance(2_000);
  const fast = begin(length, owner('fast'));
  fast.feed(length / 2);

  const first = begin(length, owner('new'));
  await t.rejects(slowest.body, {
    type: 'request_timeout',
    message: `Only 10 of ${length} bytes of the body had arrived when the server needed their memory for faster requests.`,
  });
  const second = begin(length, owner('newer'));
  await t.rejects(slow.body, { type: 'request_timeout' } as never);
  t.throws(
    () => memory.take(owner('one more'), 1),
    { type: 'overloaded' } as never,
    'no body is slow any more',
  );
  for (const { feed } of [first, second]) feed(length);
  fast.feed(length / 2);
  for (const { body } of [whole, fast, first, second]) t.equal((await body).length, length);
});

test('large bodies leave an eighth of the memory to other bodies, however many keys send them', async (t) => {
  const { memory } = receiver();
  const large = (key: number) =>
    memory.take(owner(`large ${key}`), LIMITS.bodyBytes).add(Buffer.alloc(5 * MIB));
  for (let key = 0; key < 14; key += 1) large(key);
  t.throws(() => large(14), {
    type: 'overloaded',
    message: `All bodies over ${256 * KIB} bytes have reached the limit of ${448 * MIB} bytes of memory for request bodies.`,
  } as never);
  for (let key = 0; key < 256; key += 1)
    memory.take(owner(`small ${key}`), 256 * KIB).add(Buffer.alloc(256 * KIB));
  t.throws(() => memory.take(owner('one more'), 1), {
    type: 'overloaded',
    message: `The server has reached the limit of ${LIMIT_BYTES} bytes of memory for request bodies.`,
  } as never);
});

test('a key has a quarter of the memory, a workspace half; one byte more is refused', async (t) => {
  const shares = bodyShares(LIMIT_BYTES);
  t.strictSame(shares, { key: 128 * MIB, workspace: 256 * MIB, all: LIMIT_BYTES });
  const { memory } = receiver();
  const fill = (key: string, workspace: string) => {
    for (let at = 0; at < 4; at += 1)
      memory.take(owner(key, workspace), LIMITS.bodyBytes).add(Buffer.alloc(5 * MIB));
  };
  const refused = (key: string, workspace: string) => {
    try {
      memory.take(owner(key, workspace), 1).release();
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  fill('a', 'w');
  t.match(refused('a', 'w'), `The key has reached the limit of ${shares.key} bytes`);
  t.equal(refused('b', 'w'), null);
  fill('b', 'w');
  t.match(refused('c', 'w'), `The workspace has reached the limit of ${shares.workspace} bytes`);
  t.equal(refused('d', 'x'), null);
});

test('large bodies at their limit do not displace slow small bodies', async (t) => {
  const { clock, memory, begin } = receiver();
  t.teardown(() => clock.advance(60_000));
  const small = begin(FIRST_BYTES, owner('small'));
  small.feed(1);
  for (let key = 0; key < 14; key += 1)
    memory.take(owner(`large ${key}`), LIMITS.bodyBytes).add(Buffer.alloc(5 * MIB));
  clock.advance(500);
  t.throws(() => memory.take(owner('one more'), LIMITS.bodyBytes), { type: 'overloaded' } as never);
  clock.advance(7_000);
  memory.take(owner('one more'), LIMITS.bodyBytes);
  small.feed(FIRST_BYTES - 1);
  t.equal((await small.body).length, FIRST_BYTES);
});

test('a body beyond a limit of its own ends no body of others', async (t) => {
  const { clock, memory } = receiver(128 * MIB);
  const ended: string[] = [];
  const take = (key: string, length: number, bytes = length) => {
    const body = memory.take(owner(key), length);
    body.onEnd = () => void ended.push(key);
    body.add(Buffer.alloc(bytes));
  };
  for (const key of ['a', 'b', 'c']) take(key, LIMITS.bodyBytes, 5 * MIB);
  take('d', 16 * MIB, 5 * MIB);
  take('slow', 256 * KIB, 65 * KIB);
  for (let at = 0; at < 63; at += 1) take('small', 256 * KIB);
  clock.advance(2_000);
  const refused = (key: string, length: number, message: RegExp) =>
    t.throws(() => memory.take(owner(key), length), { type: 'overloaded', message } as never);
  refused('a', 1, /^The key has reached/);
  refused('e', MIB, /^All bodies over/);
  t.strictSame(ended, []);
  memory.take(owner('e'), 1);
  t.strictSame(ended, ['slow'], 'for a body within all limits of its own');
});

test('blocks are reused by one body at a time, and a key has two of the four', async (t) => {
  const blocks = new BodyBlocks();
  const taken = ['a', 'a', 'b', 'b'].map((key) => blocks.take(owner(key), LIMITS.bodyBytes));
  const memories = taken.flatMap((block) => block?.memory ?? []);
  t.strictSame(BLOCKS_MAX, { key: 2, workspace: 3, all: 4 });
  t.equal(new Set(memories).size, BLOCKS_MAX.all, 'all different');
  t.equal(blocks.take(owner('c'), LIMITS.bodyBytes), undefined);
  for (const block of taken) block?.release();
  const own = ['x', 'x', 'x'].map((key) => blocks.take(owner(key), MIB));
  t.ok(memories.includes(own[0]?.memory as SharedArrayBuffer));
  t.equal(own[2], undefined, 'a third of one key');
  t.ok(blocks.take(owner('y', 'x'), MIB));
  t.equal(blocks.take(owner('z', 'x'), MIB), undefined, 'a fourth of one workspace');
});

test('the next block is not written to when a body has it', async (t) => {
  const turns = async () => {
    for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const blocks = new BodyBlocks();
  blocks.take(owner('a'), LIMITS.bodyBytes);
  await new Promise((resolve) => setImmediate(resolve));
  const second = blocks.take(owner('a'), LIMITS.bodyBytes)?.memory as SharedArrayBuffer;
  const bytes = Buffer.from(second).fill(1);
  await turns();
  t.ok(bytes.every((byte) => byte === 1));
});
