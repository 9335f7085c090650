import sharp from 'sharp';
import { test } from 'tap';
import { decode, decodeColumns, decodeSize, type Undecodable } from '../../src/images/decode.js';
import { ImageReader } from '../../src/images/index.js';
import type { Bitmap } from '../../src/images/pixels.js';
import { resize } from '../../src/images/resize.js';
import { noisyJpeg, segments } from '../support/images/jpeg.js';
import { png } from '../support/images/png.js';

/** A PNG without the chunks that a decoder may ignore: profiles and the like. */
function withoutChunks(file: Buffer): Buffer {
  const kept = [file.subarray(0, 8)];
  for (let at = 8; at < file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    const isAncillary = ((file[at + 4] as number) & 0x20) !== 0;
    if (!isAncillary) kept.push(file.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

/** A JPEG without APP1 to APP15. */
function withoutApplicationSegments(file: Buffer): Buffer {
  const found = segments(file).filter(({ marker }) => marker > 0xe0 && marker <= 0xef);
  let kept = file;
  for (const { start, end } of found.reverse())
    kept = Buffer.concat([kept.subarray(0, start), kept.subarray(end)]);
  return kept;
}

const SIDE = 48;
const fileOf = (data: Buffer, format: 'png' | 'jpeg', tokens = 70) => ({
  subject: 'The asset',
  format,
  data,
  tokens,
});

test('images are returned in order, resized for the model, and the same from the cache', async (t) => {
  const noise = await noisyJpeg(400, 300);
  const files = [
    fileOf(noise, 'jpeg'),
    fileOf(png({ width: 300, height: 600 }), 'png'),
    fileOf(noise, 'jpeg'),
  ];
  const reader = new ImageReader();
  const images = await reader.read(files, SIDE);
  t.strictSame(
    images.map(({ width, height, rgb }) => [width, height, rgb.length]),
    [
      [432, 336, 432 * 336 * 3],
      [240, 528, 240 * 528 * 3],
      [432, 336, 432 * 336 * 3],
    ],
  );
  t.strictSame(
    Buffer.from(images[0]?.rgb as Uint8Array),
    Buffer.from(resize((await decode(noise)) as Bitmap, { width: 432, height: 336 }).rgb),
  );
  t.equal(images[2], images[0], 'one that was read is not read again');
  t.strictSame(await reader.read(files, SIDE), images);
  t.strictSame(await new ImageReader().read(files, SIDE), images, 'nor does it depend on what is kept');
});

test('a colour profile is ignored, also where only columns or the size are decoded', async (t) => {
  const plain = sharp(await noisyJpeg(400, 300)).toColourspace('srgb');
  const profiled = plain.withIccProfile('p3');
  for (const [name, file, stripped] of [
    ['PNG', await profiled.png().toBuffer(), withoutChunks],
    ['JPEG', await profiled.jpeg().toBuffer(), withoutApplicationSegments],
  ] as const) {
    const bare = stripped(file);
    t.ok(file.length > bare.length, `${name} has a profile`);
    const rgbOf = (found: Bitmap | Undecodable) => Buffer.from((found as Bitmap).rgb);
    const found = rgbOf(await decode(file));
    t.ok(found.equals(rgbOf(await decode(bare))), name);
    const converted = await sharp(file).toColourspace('srgb').raw().toBuffer();
    t.notOk(found.equals(converted), 'it would change the pixels');
    const size = { width: 400, height: 300 };
    const columns = rgbOf(await decodeColumns(file, size, 100));
    t.ok(columns.equals(rgbOf(await decodeColumns(bare, size, 100))), name);
    t.match(await decodeSize(file), size);
  }
});

test('memory is counted when it is allocated, and not again for cached images', async (t) => {
  const counted: SharedArrayBuffer[] = [];
  const reader = new ImageReader((memory) => counted.push(memory));
  const files = [300, 600].map((height) => fileOf(png({ width: 300, height }), 'png'));
  const images = [...(await reader.read(files, SIDE)), ...(await reader.read(files, SIDE))];
  t.strictSame(
    images.map(({ rgb }) => counted.indexOf(rgb.buffer as SharedArrayBuffer)),
    [0, 1, 0, 1],
  );
  t.equal(counted.length, 2);
  t.strictSame(
    counted.map(({ byteLength }) => byteLength),
    images.slice(0, 2).map(({ rgb }) => rgb.length),
    'and nothing else is in it',
  );
});

test('an image is cached for its scope only', async (t) => {
  const counted: SharedArrayBuffer[] = [];
  const reader = new ImageReader((memory) => counted.push(memory));
  const files = [fileOf(png({ width: 300, height: 300 }), 'png')];
  const counts = [];
  for (const scope of ['ws_a', 'ws_a', 'ws_b', 'ws_b', 'ws_a']) {
    await reader.read(files, SIDE, 'exact', scope);
    counts.push(counted.length);
  }
  t.strictSame(counts, [1, 1, 2, 2, 2]);
});

test('the key is the pixels’: of another file with the same ones, not of another budget', async (t) => {
  const reader = new ImageReader();
  const keyOf = async (data: Buffer, tokens = 70) =>
    (await reader.read([fileOf(data, 'png', tokens)], SIDE))[0]?.key;
  const plain = png({ width: 300, height: 300 });
  const key = await keyOf(plain);
  t.equal(await keyOf(png({ width: 300, height: 300, interlaced: true })), key);
  t.not(await keyOf(plain, 140), key);
  t.not(await keyOf(png({ width: 300, height: 600 })), key);
});

test('one invalid image refuses the request, also after a cached one', async (t) => {
  const reader = new ImageReader();
  const good = png({ width: 300, height: 300 });
  const cut = (await noisyJpeg(300, 300)).subarray(0, 5_000);
  const files = [fileOf(good, 'png'), fileOf(cut, 'jpeg')];
  await reader.check([fileOf(good, 'png')]);
  const read = async () => {
    await reader.read(files, SIDE);
  };
  for (const reading of [() => reader.check(files), read]) {
    const refusal = { name: 'ApiError', type: 'invalid_image' };
    await t.rejects(reading(), refusal);
    await t.rejects(reading(), refusal, 'and does so again');
  }
});
