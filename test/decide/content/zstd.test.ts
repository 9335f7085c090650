import { test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import { decompressZstd, loadZstd } from '../../../src/decide/content/decompress.js';
import { random, seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';
import {
  HELLO_FRAME,
  HELLO_TEXT,
  skippableFrame,
  storedFrame,
  WINDOW_128K,
  type ZstdBlock,
  zstdFrame,
} from '../../support/zstd.js';

const LIMIT = 1024 * 1024;
const HELLO_LIMIT = 2 * LIMIT;
const raw = (text: string): ZstdBlock => ({ kind: 'raw', bytes: Buffer.from(text) });
const run = (times: number): ZstdBlock => ({ kind: 'run', byte: 0, times });
const announce = (bytes: number | bigint, field: 1 | 2 | 4 | 8 = 8) => ({ announce: { bytes, field } });
const text = (body: Buffer) => decompressZstd(body, LIMIT).toString();

await loadZstd();

test('frames one after another are one body; skippable ones hold nothing', async (t) => {
  const [a, b] = [storedFrame(Buffer.from('a')), zstdFrame([raw('b'), raw(''), run(0)])];
  const skip = skippableFrame(Buffer.from('ignored'));
  t.equal(text(Buffer.concat([skip, a, skip, skip, b, a, skip])), 'aba');
  t.equal(text(skip), '');
  t.equal(text(storedFrame(Buffer.alloc(0))), '');
  t.equal(text(zstdFrame([raw('')])), '');
  t.equal(decompressZstd(HELLO_FRAME, HELLO_LIMIT).toString(), HELLO_TEXT);
  t.equal(decompressZstd(Buffer.concat([HELLO_FRAME, a]), HELLO_LIMIT).toString(), `${HELLO_TEXT}a`);
});

test('as many frames as the limit, and one more', async (t) => {
  for (const [what, frame, content] of [
    ['empty', zstdFrame([raw('')]), ''],
    ['of one byte', storedFrame(Buffer.from('a')), 'a'],
    ['skippable', skippableFrame(Buffer.alloc(0)), ''],
  ] as const) {
    const frames = (count: number) => Buffer.alloc(frame.length * count, frame);
    t.equal(text(frames(LIMITS.zstdFrames)).length, LIMITS.zstdFrames * content.length, what);
    t.throws(
      () => text(frames(LIMITS.zstdFrames + 1)),
      { type: 'bad_encoding', message: 'The zstd body has more than the limit of 100000 frames.' },
      `${what}, and one more`,
    );
  }
});

test('every field that can hold a content size', async (t) => {
  for (const [bytes, field] of [
    [5, 1],
    [300, 2],
    [300, 4],
    [300, 8],
  ] as const) {
    t.equal(decompressZstd(zstdFrame([run(bytes)], announce(bytes, field)), LIMIT).length, bytes);
    const windowed = { window: WINDOW_128K, announce: { bytes, field } };
    // Without a single segment there is no field of one byte.
    if (field > 1) t.equal(decompressZstd(zstdFrame([run(bytes)], windowed), LIMIT).length, bytes);
  }
});

test('bytes that are not frames are refused', async (t) => {
  for (const [body, message] of [
    [Buffer.alloc(0), /is empty/],
    [Buffer.from('{"state":1}'), /not a frame/],
    [Buffer.concat([storedFrame(Buffer.from('a')), Buffer.from('tail')]), /not a frame/],
    [Buffer.concat([storedFrame(Buffer.from('a')), Buffer.from('x')]), /followed by .* not a frame/],
    [Buffer.concat([storedFrame(Buffer.from('a')), Buffer.from('\n')]), /followed by .* not a frame/],
    [Buffer.concat([storedFrame(Buffer.from('a')), Buffer.from('\r\n\n')]), /followed by .* not a frame/],
    [Buffer.concat([storedFrame(Buffer.from('a')), Buffer.from([0x28])]), /truncated/],
    [Buffer.concat([storedFrame(Buffer.from('a')), Buffer.from([0x28, 0xb5, 0x2f])]), /truncated/],
    [Buffer.concat([storedFrame(Buffer.from('a')), Buffer.from([0x5f, 0x2a])]), /truncated/],
    [Buffer.concat([storedFrame(Buffer.from('a')), Buffer.alloc(8)]), /not a frame/],
    [skippableFrame(Buffer.from('abc'), 4), /truncated/],
    [skippableFrame(Buffer.from('abc'), 0xffffffff), /truncated/],
    [zstdFrame([raw('a')], { window: WINDOW_128K, dictionary: 7 }), /needs a dictionary/],
    [zstdFrame([raw('a')], { window: WINDOW_128K, reserved: true }), /reserved bit/],
    [zstdFrame([{ kind: 'other', type: 3, size: 1, payload: Buffer.alloc(1) }]), /invalid block/],
    [zstdFrame([run(128 * 1024 + 1)]), /invalid block/],
    [zstdFrame([raw('ab')], announce(1, 1)), /invalid block/],
    [zstdFrame([raw('ab')], announce(3)), /announces more/],
    [zstdFrame([{ kind: 'other', type: 2, size: 4, payload: Buffer.alloc(4, 255) }]), /damaged/],
  ] as const) {
    t.throws(() => decompressZstd(body, LIMIT), { type: 'bad_encoding', message }, String(message));
  }
  t.equal(text(zstdFrame([raw('a')], { window: WINDOW_128K, dictionary: 0 })), 'a', 'number 0 means none');
});

test('a body cut anywhere is refused, except between frames', async (t) => {
  const part = storedFrame(Buffer.from('hello'));
  const body = Buffer.concat([part, HELLO_FRAME]);
  for (let end = 0; end < body.length; end += 1) {
    if (end === part.length) continue;
    t.throws(
      () => decompressZstd(body.subarray(0, end), HELLO_LIMIT),
      { name: 'ApiError', type: 'bad_encoding' },
      `${end}`,
    );
  }
});

test('a damaged checksum is refused', async (t) => {
  const body = Buffer.from(HELLO_FRAME);
  body[body.length - 1] = (body[body.length - 1] as number) ^ 1;
  t.throws(() => decompressZstd(body, HELLO_LIMIT), { type: 'bad_encoding', message: /damaged/ });
});

test('the limit is met exactly, announced or not', async (t) => {
  const blocks = (bytes: number) => {
    const all: ZstdBlock[] = [];
    for (let left = bytes; left > 0; left -= 128 * 1024) all.push(run(Math.min(left, 128 * 1024)));
    return all;
  };
  for (const bytes of [LIMIT - 1, LIMIT, LIMIT + 1, 100 * LIMIT]) {
    for (const body of [zstdFrame(blocks(bytes)), zstdFrame(blocks(bytes), announce(bytes))]) {
      if (bytes <= LIMIT) t.equal(decompressZstd(body, LIMIT).length, bytes);
      else t.throws(() => decompressZstd(body, LIMIT), { type: 'body_too_large', message: /1048576/ });
    }
  }
  t.throws(() => decompressZstd(HELLO_FRAME, HELLO_TEXT.length - 1), {
    name: 'ApiError',
    type: 'body_too_large',
  });
  t.equal(decompressZstd(HELLO_FRAME, HELLO_TEXT.length).length, HELLO_TEXT.length);
});

test('many small blocks, which could hold more than the limit and do not, are read', async (t) => {
  const body = zstdFrame(Array.from({ length: 10_000 }, () => raw('x')));
  t.equal(decompressZstd(body, LIMIT).length, 10_000);
  t.equal(
    decompressZstd(Buffer.concat(Array.from({ length: 200 }, () => storedFrame(Buffer.from('ab')))), 400)
      .length,
    400,
  );
});

test('wrong sizes and windows are refused before memory is allocated for them', async (t) => {
  const before = process.memoryUsage().arrayBuffers;
  for (const bytes of [LIMIT * 1024, 0xffffffff, 2n ** 40n, 2n ** 63n, 2n ** 64n - 1n]) {
    t.throws(() => decompressZstd(zstdFrame([raw('a')], announce(bytes)), LIMIT), {
      name: 'ApiError',
      type: 'bad_encoding',
    });
  }
  for (let window = 0; window < 256; window += 1) {
    const body = zstdFrame([raw('a')], { window });
    const bytes = 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8);
    if (bytes <= LIMITS.zstdWindowBytes) t.equal(text(body), 'a', `${bytes}`);
    else
      t.throws(
        () => text(body),
        {
          type: 'bad_encoding',
          message: `The zstd body asks for a window of ${bytes} bytes; the limit is 33554432.`,
        },
        `${bytes}`,
      );
  }
  t.ok(process.memoryUsage().arrayBuffers - before < LIMITS.bodyBytes);
});

test('10,000 damaged bodies: the content, or one of the two errors', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer } = random(seed);
  const good = Buffer.concat([
    storedFrame(Buffer.from('{"state":1}')),
    HELLO_FRAME,
    skippableFrame(Buffer.alloc(9)),
  ]);
  const found = new Map<string, number>();
  for (let round = 0; round < scaled({ short: 2_000, long: 10_000 }); round += 1) {
    const body = Buffer.from(good.subarray(0, good.length - (integer(2) === 0 ? 0 : integer(40))));
    for (let times = 1 + integer(3); times > 0; times -= 1) body[integer(body.length)] = integer(256);
    let kind = 'read';
    try {
      decompressZstd(body, HELLO_LIMIT);
    } catch (error) {
      kind = (error as { type?: string }).type ?? String(error);
      if (kind !== 'bad_encoding' && kind !== 'body_too_large')
        t.fail(`${error} for ${body.toString('base64')}`);
    }
    found.set(kind, (found.get(kind) ?? 0) + 1);
  }
  t.comment(JSON.stringify(Object.fromEntries(found)));
});
