import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { mutateBytes } from '../../support/decide/mutations.js';
import type { Random } from '../../support/random.js';
import { HELLO_FRAME, skippableFrame, storedFrame, WINDOW_128K, zstdFrame } from '../../support/zstd.js';
import { oneIn, weighted } from './chance.js';

/** Once in so many compressed bodies one is much larger than it looks: it takes the server some 50 ms. */
const BOMBS_ONE_IN = 2_000;
const BOMB_BYTES = 33 * 1024 * 1024;

let gzipBomb: Buffer | undefined;

/** A body behind a `Content-Encoding`, true or not; null: none is sent. */
export function encode(random: Random, body: Buffer): { body: Buffer; encoding: string | null } {
  return weighted<{ body: Buffer; encoding: string | null }>(random, [
    [14, () => ({ body, encoding: null })],
    [1, () => ({ body, encoding: 'identity' })],
    [3, () => ({ body: damage(random, gzip(random, body)), encoding: oneIn(random, 9) ? 'GZip' : 'gzip' })],
    [3, () => ({ body: damage(random, zstd(random, body)), encoding: 'zstd' })],
    [
      1,
      () => ({
        body: random.pick([body, deflateSync(body), gzipSync(body), storedFrame(body)]),
        encoding: label(random),
      }),
    ],
  ]);
}

const label = (random: Random): string =>
  random.pick([
    'gzip',
    'zstd',
    'br',
    'deflate',
    'x-gzip',
    'gzip, gzip',
    'identity, zstd',
    '',
    'gzip;q=1',
    '*',
  ]);

const damage = (random: Random, bytes: Buffer): Buffer =>
  oneIn(random, 4) ? mutateBytes(random, bytes) : bytes;

function gzip(random: Random, body: Buffer): Buffer {
  if (oneIn(random, BOMBS_ONE_IN)) {
    gzipBomb ??= gzipSync(Buffer.alloc(BOMB_BYTES));
    return gzipBomb;
  }
  const whole = gzipSync(body, { level: random.pick([0, 1, 9]) as 0 | 1 | 9 });
  const half = body.length >> 1;
  return weighted(random, [
    [6, () => whole],
    [2, () => Buffer.concat([gzipSync(body.subarray(0, half)), gzipSync(body.subarray(half))])],
    [
      1,
      () =>
        Buffer.concat([
          whole,
          random.pick([Buffer.alloc(8), Buffer.from('rubbish'), gzipSync(Buffer.alloc(0))]),
        ]),
    ],
    [1, () => whole.subarray(0, random.integer(whole.length))],
    [1, () => named(random, whole)],
    [
      1,
      () =>
        Buffer.concat([whole.subarray(0, 10), deflateRawSync(body), Buffer.alloc(8, random.integer(256))]),
    ],
  ]);
}

/** With the optional fields of the header: extra, name, comment, checksum, and reserved bits. */
function named(random: Random, whole: Buffer): Buffer {
  const flags = random.integer(256);
  const head = Buffer.from(whole.subarray(0, 10));
  head[3] = flags;
  const extra = (flags & 4) === 0 ? [] : [Buffer.from([3, 0, 1, 2, 3])];
  const name = (flags & 8) === 0 ? [] : [Buffer.from('name\0')];
  return Buffer.concat([head, ...extra, ...name, whole.subarray(10)]);
}

function zstd(random: Random, body: Buffer): Buffer {
  const raw = { kind: 'raw', bytes: body } as const;
  const half = body.length >> 1;
  if (oneIn(random, BOMBS_ONE_IN)) {
    const block = { kind: 'run', byte: 32, times: 128 * 1024 } as const;
    return zstdFrame(Array.from({ length: BOMB_BYTES / (128 * 1024) }, () => block));
  }
  if (body.length > 100_000) return storedFrame(body);
  return weighted(random, [
    [6, () => storedFrame(body)],
    [2, () => zstdFrame([raw], { window: WINDOW_128K })],
    [
      2,
      () =>
        Buffer.concat([
          storedFrame(body.subarray(0, half)),
          skippableFrame(Buffer.from('skip')),
          storedFrame(body.subarray(half)),
        ]),
    ],
    [1, () => zstdFrame([raw], { window: random.integer(256) })],
    [
      1,
      () =>
        zstdFrame([raw], { announce: { bytes: random.pick([0, 1, body.length + 1, 2 ** 31]), field: 8 } }),
    ],
    [
      1,
      () =>
        zstdFrame([raw], { window: WINDOW_128K, dictionary: random.integer(3), reserved: oneIn(random, 4) }),
    ],
    [1, () => zstdFrame([raw, { kind: 'run', byte: 32, times: 1 + random.integer(1_000) }])],
    [
      1,
      () =>
        zstdFrame([
          {
            kind: 'other',
            type: 2 + random.integer(2),
            size: 20,
            payload: Buffer.alloc(20, random.integer(256)),
          },
        ]),
    ],
    [
      1,
      () =>
        Buffer.concat([
          storedFrame(body),
          skippableFrame(Buffer.from('x'), random.pick([0, 1, 2, 2 ** 32 - 1])),
        ]),
    ],
    [1, () => HELLO_FRAME],
  ]);
}
