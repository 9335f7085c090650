import { gzipSync } from 'node:zlib';
import { test } from 'tap';
import { decompressGzip } from '../../../src/decide/content/decompress.js';
import { random, seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';

const LIMIT = 1024 * 1024;
const hello = gzipSync('hello');

test('members one after another are one body', async (t) => {
  t.equal(decompressGzip(hello, LIMIT).toString(), 'hello');
  t.equal(
    decompressGzip(Buffer.concat([hello, hello, gzipSync(''), hello]), LIMIT).toString(),
    'hellohellohello',
  );
  t.equal(decompressGzip(gzipSync(''), LIMIT).length, 0);
});

test('other bytes and zeros after the members are refused', async (t) => {
  for (const tail of [
    '00',
    '0000000000',
    'ff',
    'ffff',
    '1f',
    '1f8b',
    '1f8b08',
    '1f8bff00000000',
    '68656c6c6f',
  ]) {
    const body = Buffer.concat([hello, Buffer.from(tail, 'hex')]);
    t.throws(() => decompressGzip(body, LIMIT), { name: 'ApiError', type: 'bad_encoding' }, tail);
  }
  const apart = Buffer.concat([hello, Buffer.alloc(1), hello]);
  t.throws(() => decompressGzip(apart, LIMIT), { type: 'bad_encoding', message: /followed by other data/ });
});

/** A member whose header has an extra field, a name and a comment (RFC 1952, 2.3.1). */
const described = Buffer.concat([
  Buffer.from([0x1f, 0x8b, 8, 0x04 | 0x08 | 0x10, 0, 0, 0, 0, 0, 3]),
  Buffer.from([3, 0, 1, 0, 2]),
  Buffer.from('a name\0a comment\0', 'latin1'),
  hello.subarray(10),
]);

test('what follows complete members is named; the beginning of another member is truncated', async (t) => {
  const members = [hello, Buffer.concat([hello, hello]), described, gzipSync(Buffer.alloc(LIMIT))];
  const tails = [...['\n', '\r\n', ' ', '{}', 'hello', '\0', '\0\0\n'].map((tail) => Buffer.from(tail))];
  for (const whole of members) {
    for (const tail of tails) {
      const refusal = { type: 'bad_encoding', message: 'The gzip body is followed by other data.' };
      t.throws(() => decompressGzip(Buffer.concat([whole, tail]), LIMIT), refusal, JSON.stringify(`${tail}`));
    }
    for (const length of [1, 2, 3, 9]) {
      const cut = Buffer.concat([whole, hello.subarray(0, length)]);
      t.throws(() => decompressGzip(cut, LIMIT), { message: /truncated/ }, `${length}`);
    }
  }
  t.throws(() => decompressGzip(Buffer.from('\n'), LIMIT), { message: /truncated|not valid/ });
  const many = Buffer.concat([...Array(20_000).fill(hello), Buffer.from('\n')]);
  t.throws(() => decompressGzip(many, LIMIT), { type: 'bad_encoding', message: /\./ });
});

test('a body cut anywhere is refused as truncated, except between members', async (t) => {
  const two = Buffer.concat([hello, hello]);
  for (let end = 0; end < two.length; end += 1) {
    if (end === hello.length) continue;
    t.throws(
      () => decompressGzip(two.subarray(0, end), LIMIT),
      { type: 'bad_encoding', message: /truncated/ },
      `${end}`,
    );
  }
});

test('what is not gzip, or fails its checksum, is refused', async (t) => {
  for (const body of [
    Buffer.from('{}'),
    Buffer.from('{"state":"hello"}'),
    damaged(hello, -6),
    damaged(hello, -2),
  ]) {
    t.throws(() => decompressGzip(body, LIMIT), { name: 'ApiError', type: 'bad_encoding' });
  }
});

test('the limit is exact, whatever length the body states', async (t) => {
  for (const size of [0, 1, 65_535, 65_536, 65_537, LIMIT - 1, LIMIT, LIMIT + 1, 2 * LIMIT]) {
    const whole = gzipSync(Buffer.alloc(size, 7));
    const inTwo = Buffer.concat([
      gzipSync(Buffer.alloc(size >> 1, 7)),
      gzipSync(Buffer.alloc(size - (size >> 1), 7)),
    ]);
    for (const body of [whole, inTwo]) {
      if (size <= LIMIT) t.ok(decompressGzip(body, LIMIT).equals(Buffer.alloc(size, 7)), `${size}`);
      else
        t.throws(
          () => decompressGzip(body, LIMIT),
          { type: 'body_too_large', message: /1048576/ },
          `${size}`,
        );
    }
  }
});

test('decompression stops at the limit, and a wrong stated length takes no more memory', async (t) => {
  const bomb = gzipSync(Buffer.alloc(200 * LIMIT));
  t.throws(() => decompressGzip(bomb, LIMIT), { name: 'ApiError', type: 'body_too_large' });
  for (const announced of [0, 1, LIMIT, 0xffffffff]) {
    const lying = Buffer.from(bomb);
    lying.writeUInt32LE(announced, lying.length - 4);
    t.throws(
      () => decompressGzip(lying, LIMIT),
      { name: 'ApiError', type: 'body_too_large' },
      `${announced}`,
    );
    const small = Buffer.from(hello);
    small.writeUInt32LE(announced, small.length - 4);
    t.throws(() => decompressGzip(small, LIMIT), { name: 'ApiError', type: 'bad_encoding' }, `${announced}`);
  }
});

test('10,000 damaged bodies: the content, or one of the two errors', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer } = random(seed);
  const good = Buffer.concat([gzipSync('a'.repeat(5_000)), gzipSync('{"state":1}')]);
  for (let round = 0; round < scaled({ short: 2_000, long: 10_000 }); round += 1) {
    const body = damaged(good, integer(good.length), 1 + integer(255));
    try {
      decompressGzip(body.subarray(0, good.length - (integer(2) === 0 ? 0 : integer(40))), LIMIT);
    } catch (error) {
      const { type } = error as { type?: string };
      if (type !== 'bad_encoding' && type !== 'body_too_large')
        t.fail(`${error} for ${body.toString('base64')}`);
    }
  }
});

function damaged(bytes: Buffer, at: number, by = 1): Buffer {
  const copy = Buffer.from(bytes);
  const index = at < 0 ? copy.length + at : at;
  copy[index] = (copy[index] as number) ^ by;
  return copy;
}
