import sharp from 'sharp';
import { test } from 'tap';
import { ApiError, LIMITS } from '../../src/api/index.js';
import { SIDE_TOKENS_MAX } from '../../src/engine/index.js';
import { decode } from '../../src/images/decode.js';
import { ImageReader } from '../../src/images/index.js';
import { type Bitmap, gridSize } from '../../src/images/pixels.js';
import { resize } from '../../src/images/resize.js';
import { scaledGridSize } from '../../src/images/scaled-grid.js';
import { hostileFiles } from '../support/images/hostile.js';
import { jpeg, resized, withScans } from '../support/images/jpeg.js';
import { chunk, header, pixels, png, SIGNATURE } from '../support/images/png.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const SIDE = 48;
const BUDGETS = [70, 280];
const SIZES = scaled({ short: 5, long: 60 }, 'SCALED');
const { scaledImagePixels: PIXELS, scaledImageProportion: PROPORTION, imageSidePixelsMax: MAX } = LIMITS;
const seed = seedFromEnvironment();
const { number, integer, pick } = random(seed);

const fileOf = (data: Buffer | string, tokens = 280) => ({
  subject: 'The image',
  format: null,
  data,
  tokens,
});
const read = (data: Buffer, tokens?: number) =>
  new ImageReader().read([fileOf(data, tokens)], SIDE, 'scaled').then(([image]) => image as Bitmap);

/** Why a file is not read; '' where it is. */
async function refusal(...files: readonly (Buffer | string)[]): Promise<string> {
  try {
    await new ImageReader().read(
      files.map((data) => fileOf(data, 70)),
      SIDE,
      'scaled',
    );
    return '';
  } catch (error) {
    if (error instanceof ApiError) return `${error.type}: ${error.message}`;
    throw error;
  }
}

/** Smooth, so that any two ways of reducing it agree. */
function picture(width: number, height: number) {
  const data = Buffer.alloc(width * height * 3);
  const wave = (length: number) => Float32Array.from({ length }, (_, at) => 40 * Math.sin((9 * at) / length));
  const [across, down] = [wave(width), wave(height)];
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      for (let channel = 0; channel < 3; channel += 1, at += 1)
        data[at] = 100 + 10 * channel + (across[x] as number) + (down[y] as number);
  return sharp(data, { raw: { width, height, channels: 3 } });
}

function difference(a: Bitmap, b: Bitmap) {
  let [sum, most] = [0, 0];
  for (let at = 0; at < a.rgb.length; at += 1) {
    const distance = Math.abs((a.rgb[at] as number) - (b.rgb[at] as number));
    sum += distance;
    most = Math.max(most, distance);
  }
  return { average: sum / a.rgb.length, most };
}

test('an image that every route reads has the same pixels under both rules', async (t) => {
  for (const [width, height] of [
    [280, 280],
    [MAX, 280],
    [MAX, MAX],
    [300, 1_001],
  ] as const) {
    const file = await picture(width, height).jpeg().toBuffer();
    for (const tokens of BUDGETS) {
      const [exact] = await new ImageReader().read([{ ...fileOf(file, tokens), format: 'jpeg' }], SIDE);
      const { rgb, ...others } = await read(file, tokens);
      const { rgb: wanted, ...size } = exact as Bitmap;
      t.strictSame(others, size, `${width} × ${height}, ${tokens} tokens`);
      t.ok(Buffer.from(rgb).equals(Buffer.from(wanted)));
    }
  }
});

test(`every size has a grid within its budget and the longest side, close to its proportions (TEST_SEED=${seed})`, async (t) => {
  const wrong: string[] = [];
  const check = (width: number, height: number) => {
    for (const tokens of BUDGETS) {
      const size = scaledGridSize({ width, height }, tokens, SIDE, SIDE_TOKENS_MAX);
      const [across, down] = [size.width / SIDE, size.height / SIDE];
      const whole = Number.isInteger(across) && Number.isInteger(down) && Math.min(across, down) >= 1;
      const fits = across * down <= tokens && Math.max(across, down) <= SIDE_TOKENS_MAX;
      const stretch = across / down / (width / height);
      const isClose = stretch < 1.5 && stretch > 1 / 1.5;
      if (!whole || !fits || !isClose) wrong.push(`${width} × ${height}, ${tokens}: ${across} × ${down}`);
    }
  };
  for (let count = 0; count < 50_000; count += 1) {
    const shorter = Math.ceil(10 ** (number() * 3.8));
    const longest = Math.min(shorter * PROPORTION, Math.floor(PIXELS / shorter));
    const longer = Math.max(shorter, Math.round(shorter + number() ** 2 * (longest - shorter)));
    if (shorter * longer > PIXELS) continue;
    check(shorter, longer);
    check(longer, shorter);
  }
  for (const side of [1, 2, 279, 280, MAX, MAX + 1, Math.floor(Math.sqrt(PIXELS))]) check(side, side);
  check(1, PROPORTION);
  check(1_000, 1_000 * PROPORTION);
  t.strictSame(wrong.slice(0, 10), []);
  t.strictSame(
    scaledGridSize({ width: 800, height: 600 }, 280, SIDE, SIDE_TOKENS_MAX),
    gridSize({ width: 800, height: 600 }, 280, SIDE),
  );
});

test(`an image that is reduced while it is decoded looks as if it had been decoded whole (TEST_SEED=${seed})`, async (t) => {
  for (let count = 0; count < SIZES; count += 1) {
    const [width, height] = [1_600 + integer(1_500), 1_600 + integer(1_500)];
    const tokens = pick(BUDGETS);
    const kind = pick(['png', 'interlaced', 'jpeg', '4:4:4', 'progressive'] as const);
    const image = picture(width, height);
    const file = await (kind === 'png' || kind === 'interlaced'
      ? image.png({ progressive: kind === 'interlaced', compressionLevel: 1 })
      : image.jpeg({
          progressive: kind === 'progressive',
          chromaSubsampling: kind === 'jpeg' ? '4:2:0' : '4:4:4',
        })
    ).toBuffer();
    const found = await read(file, tokens);
    const size = gridSize({ width, height }, tokens, SIDE);
    const whole = resize((await decode(file, { width, height })) as Bitmap, size);
    const name = `${kind}, ${width} × ${height}, ${tokens} tokens`;
    t.strictSame([found.width, found.height], [size.width, size.height], name);
    const { average, most } = difference(found, whole);
    t.ok(average < 0.5 && most <= 3, `${name}: ${average} on average, at most ${most}`);
  }
});

test('sides beyond those of the other routes: at the limits, and one past them', async (t) => {
  const blank = (width: number, height: number) =>
    Buffer.concat([SIGNATURE, header(width, height), chunk('IDAT', pixels(1, 1)), chunk('IEND')]);
  const sides = (width: number, height: number) =>
    png({ width, height, samples: { type: 0, depth: 1, pixel: [0] } });
  for (const [width, height] of [
    [1, 1],
    [2, 3],
    [1, PROPORTION],
    [PROPORTION, 1],
    [279, 279],
    [MAX + 1, 281],
    [8_000, PIXELS / 8_000],
    [1_000, 1_000 * PROPORTION],
  ] as const) {
    t.equal(await refusal(sides(width, height)), '', `${width} × ${height}`);
  }
  for (const [width, height, reason] of [
    [0, 10, 'each side must have at least 1'],
    [1, PROPORTION + 1, `the longer side may have at most ${PROPORTION} times the pixels of the shorter one`],
    [
      PROPORTION * 10 + 1,
      10,
      `the longer side may have at most ${PROPORTION} times the pixels of the shorter one`,
    ],
    [8_000, PIXELS / 8_000 + 1, `the limit is ${PIXELS} pixels`],
    [1, PIXELS, `the longer side may have at most ${PROPORTION} times the pixels of the shorter one`],
    [1, PIXELS + 1, `the limit is ${PIXELS} pixels`],
    [0xffffffff, 0xffffffff, `the limit is ${PIXELS} pixels`],
  ] as const) {
    const expected = `image_dimensions: The image has ${width} × ${height} pixels; ${reason}.`;
    t.equal(await refusal(blank(width, height)), expected);
  }
});

test('the different images of a request have a limit of pixels together', async (t) => {
  const of = (width: number, height: number) =>
    png({ width, height, samples: { type: 0, depth: 1, pixel: [0] } });
  const large = [0, 1, 2, 3, 4].map((at) => of(8_000 + at, Math.floor(PIXELS / (8_000 + at))));
  const total = [0, 1, 2, 3, 4].reduce(
    (sum, at) => sum + (8_000 + at) * Math.floor(PIXELS / (8_000 + at)),
    0,
  );
  const rows = Math.floor((LIMITS.scaledRequestPixels - total) / 100);
  t.ok(rows > 100 && rows < 100 * PROPORTION, 'there is room for one more image of 100 columns');
  t.equal(await refusal(...large, ...large, of(100, rows)), '', 'an image counts once');
  t.match(
    await refusal(...large, of(100, rows + 1)),
    /^image_dimensions: The images have \d+ pixels together, .*; the limit is 200000000\.$/,
  );
});

test('hostile files are refused as by the other routes, but for their sides and formats', async (t) => {
  for (const { name, bytes, expected } of await hostileFiles()) {
    const type = (await refusal(bytes)).split(':')[0];
    const wanted = typeof expected === 'string' ? expected : '';
    if (wanted === 'image_dimensions' || wanted === 'unsupported_image_format') continue;
    t.equal(type, wanted, name);
  }
});

test('the bytes say what a file is; other formats are refused by name', async (t) => {
  const create = { width: 30, height: 30, channels: 3, background: 'red' } as const;
  t.equal(await refusal(png()), '');
  t.equal(await refusal(await jpeg()), '');
  const expected =
    'unsupported_image_format: The image is neither a PNG nor a JPEG; no other format is read.';
  for (const made of ['gif', 'webp', 'tiff', 'avif'] as const)
    t.equal(await refusal(await sharp({ create }).toFormat(made).toBuffer()), expected, made);
  t.equal(await refusal(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), expected);
  t.match(await refusal('AA A'), /^invalid_image: The image must have its data in standard base64/);
  t.match(await refusal(''), /^invalid_image: The image is empty/);
});

test('large files that are damaged, or larger than they say, are refused', async (t) => {
  const [width, height] = [2_400, 1_700];
  const noise = Buffer.alloc(width * height * 3);
  for (let at = 0; at < noise.length; at += 1) noise[at] = (at * 2_654_435_761) >>> 24;
  const made = sharp(noise, { raw: { width, height, channels: 3 } });
  const files = {
    '4:2:0': await made.clone().jpeg().toBuffer(),
    '4:4:4': await made.clone().jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(),
    grey: await made.clone().toColourspace('b-w').jpeg().toBuffer(),
    progressive: await made.clone().jpeg({ progressive: true }).toBuffer(),
  };
  for (const [name, file] of Object.entries(files)) {
    t.equal(await refusal(file), '', name);
    for (const part of [0.5, 0.999]) {
      const cut = Buffer.concat([
        file.subarray(0, Math.floor(file.length * part)),
        Buffer.from([0xff, 0xd9]),
      ]);
      t.match(await refusal(cut), /^invalid_image: /, `${name}, cut at ${part}`);
    }
    const last = Buffer.concat([file.subarray(0, -40), Buffer.from([0xff, 0xd9])]);
    t.match(await refusal(last), /^invalid_image: /, `${name}, without its last bytes`);
    t.match(
      await refusal(resized(file, width, height + 64)),
      /^invalid_image: /,
      `${name}, of more rows than it has`,
    );
  }
  const whole = await made.clone().png({ compressionLevel: 1 }).toBuffer();
  t.equal(await refusal(whole), '');
  const second = Buffer.concat([whole.subarray(0, 33), header(9_000, 9_000), whole.subarray(33)]);
  t.match(await refusal(second), /^invalid_image: /, 'a second header');
});

test('the largest JPEG has at most 20 scans, as any other', async (t) => {
  const file = await jpeg({ width: 8_000, height: PIXELS / 8_000, progressive: true });
  t.equal(await refusal(file), '');
  t.notMatch(await refusal(withScans(file, LIMITS.jpegScans)), /scans; the limit/);
  t.match(await refusal(withScans(file, LIMITS.jpegScans + 1)), /^invalid_image: The image has 21 scans/);
});

test('a large image that the decoder holds whole waits for its turn, and no other does', async (t) => {
  const turns: number[] = [];
  const alone = async <Found>(count: number, work: () => Promise<Found>) => {
    turns.push(count);
    return work();
  };
  const [width, height] = [2_000, 1_500];
  const samples = { type: 0, depth: 8, pixel: [9] };
  for (const [expected, file] of [
    [0, png({ width, height, samples })],
    [1, png({ width, height, samples, interlaced: true })],
    [0, png({ width: 1_500, height: 1_600, samples, interlaced: true })],
    [0, await jpeg({ width, height })],
    [1, await jpeg({ width, height, progressive: true })],
  ] as const) {
    await new ImageReader(() => {}, alone).read([fileOf(file)], SIDE, 'scaled');
    t.equal(turns.splice(0).length, expected);
  }
});
