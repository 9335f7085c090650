import sharp from 'sharp';
import { test } from 'tap';
import { ApiError, LIMITS } from '../../src/api/index.js';
import { decode } from '../../src/images/decode.js';
import { ImageReader } from '../../src/images/index.js';
import { jpegParts } from '../../src/images/jpeg-parts.js';
import { STRAY_FILE_BYTES_MAX } from '../../src/images/jpeg-stray-bytes.js';
import { jpeg, noisyJpeg, withScans } from '../support/images/jpeg.js';
import { writtenJpeg } from '../support/images/jpeg-writer.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const MUTATED = scaled({ short: 60, long: 400 }, 'JPEGS');
const seed = seedFromEnvironment();

/** The pixels, as text; or why there are none. */
async function outcome(bytes: Buffer): Promise<string> {
  const found = await decode(bytes);
  return 'predicate' in found ? found.predicate : Buffer.from(found.rgb).toString('latin1');
}

/** What the API answers. */
async function refusal(data: Buffer): Promise<string> {
  try {
    await new ImageReader().check([{ subject: 'The asset', format: 'jpeg', data }]);
    return '';
  } catch (error) {
    if (error instanceof ApiError) return `${error.type}: ${error.message}`;
    throw error;
  }
}

const put = (bytes: Buffer, at: number, what: readonly number[]) =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from(what), bytes.subarray(at)]);
const segmentsOf = (bytes: Buffer, marker: number) =>
  jpegParts(bytes).segments.filter((each) => each.marker === marker);
/** The position of a segment's marker. */
const startOf = (bytes: Buffer, marker: number, number = 0) =>
  (segmentsOf(bytes, marker)[number] as { start: number }).start - 4;

function edited(bytes: Buffer, at: number, ...values: number[]): Buffer {
  const copy = Buffer.from(bytes);
  copy.set(values, at);
  return copy;
}

const plain = writtenJpeg(random(7));
const pieces = writtenJpeg(random(7), { interval: 36 });
/** Noise that is the same in every process, so that a seed repeats a failure. */
const noise = random(1);
const progressive = await sharp(
  Buffer.from(Array.from({ length: 320 * 300 * 3 }, () => noise.integer(256))),
  { raw: { width: 320, height: 300, channels: 3 } },
)
  .jpeg({ progressive: true })
  .toBuffer();
const photo = await noisyJpeg();

const parameters = (bytes: Buffer) => (segmentsOf(bytes, 0xda)[0]?.end ?? bytes.length) - 3;
const strays = (what: readonly number[], at?: number) =>
  writtenJpeg(random(7), {
    interval: 36,
    stray: (marker) => (at === undefined || marker === at ? what : undefined),
  });

test('faults that no pixel depends on are accepted, and the pixels are those of the file without them', async (t) => {
  const faults: Record<string, readonly [sent: Buffer, same: Buffer]> = {
    'JFIF 2.01': [edited(plain, 11, 2), plain],
    'JFIF 0.00': [edited(pieces, 11, 0, 0), pieces],
    'spectral selection that ends at 0': [edited(plain, parameters(plain) + 1, 0), plain],
    'scan parameters of any value': [edited(photo, parameters(photo), 9, 9, 0x99), photo],
    'zeros before the first segment': [put(plain, 2, [0, 0, 0]), plain],
    'zeros before a table': [put(plain, startOf(plain, 0xdb), Array(40).fill(0)), plain],
    'spaces before the frame': [put(photo, startOf(photo, 0xc0), [0x20, 0x0a]), photo],
    'FF before a table': [put(photo, startOf(photo, 0xc4), Array(40).fill(0xff)), photo],
    'zeros before the scan': [put(photo, startOf(photo, 0xda), [0]), photo],
    'stray bytes before one restart marker': [strays(Array(16).fill(1), 4), pieces],
    'stray bytes before each restart marker': [strays(Array(16).fill(0)), pieces],
    'one byte before each restart marker': [strays([0x55]), pieces],
    'other bytes before each restart marker': [strays([1, 2, 3, 4, 5, 250, 251, 252, 253, 254]), pieces],
    'bytes of a scan that mean nothing before a marker': [strays([0xff, 0, 0xff, 0, 0xff, 0xff]), pieces],
    'zeros before a scan of a progressive JPEG, behind a table': [
      put(progressive, startOf(progressive, 0xda, 1), Array(9).fill(0)),
      progressive,
    ],
    'bytes before the end of a progressive JPEG': [
      put(progressive, progressive.length - 2, Array(20).fill(0)),
      progressive,
    ],
    'bytes before the end': [put(photo, photo.length - 2, Array(20).fill(0)), photo],
    'all of it': [edited(edited(strays(Array(9).fill(3)), 11, 2), parameters(pieces), 1, 2, 3), pieces],
  };
  for (const [name, [sent, same]] of Object.entries(faults)) {
    t.equal(await refusal(sent), '', name);
    t.ok((await outcome(sent)) === (await outcome(same)), `${name}: the same pixels`);
  }
});

test('three components, and restart markers in every place', async (t) => {
  for (const components of [1, 3] as const) {
    for (const interval of [1, 7, 36, 1_295, 1_296, 5_000]) {
      const stray = () => Array(12).fill(7);
      const sent = writtenJpeg(random(9), { components, interval, stray });
      const same = writtenJpeg(random(9), { components, interval });
      t.ok((await outcome(sent)) === (await outcome(same)), `${components} components, every ${interval}`);
      t.equal((await outcome(same)).length, 288 * 288 * 3);
    }
  }
});

test('lost pixels refuse an image, and the message says what is wrong', async (t) => {
  const scan = (bytes: Buffer) => (segmentsOf(bytes, 0xda)[0] as { end: number }).end;
  const half = (bytes: Buffer) => bytes.subarray(0, (scan(bytes) + bytes.length) >> 1);
  const end = Buffer.from([0xff, 0xd9]);
  const frame = startOf(plain, 0xc0);
  const refused: Record<string, readonly [bytes: Buffer, message: RegExp]> = {
    'cut in the scan': [half(photo), /truncated/],
    'without its end': [plain.subarray(0, -2), /truncated/],
    'cut in the scan, with an end': [Buffer.concat([half(photo), end]), /pixels are missing/],
    'cut in a progressive scan, with an end': [
      Buffer.concat([half(progressive), end]),
      /pixels are missing|scans|cannot be decoded/,
    ],
    'without a restart marker': [writtenJpeg(random(7), { interval: 36, without: 3 }), /pixels are missing/],
    'with one restart marker for another': [
      Buffer.from(pieces.toString('hex').replace('ffd3', 'ffd5'), 'hex'),
      /pixels are missing/,
    ],
    'with a table that is lost': [edited(plain, startOf(plain, 0xdb), 0x7f), /lacks a table|damaged/],
    'without pixels': [Buffer.concat([plain.subarray(0, scan(plain)), end]), /pixels are missing/],
    'of 12 bits': [edited(plain, frame + 4, 12), /12 bits per sample/],
    'with arithmetic coding': [edited(plain, frame + 1, 0xc9), /arithmetic coding/],
    lossless: [edited(plain, frame + 1, 0xc3), /lossless or hierarchical/],
    'stray bytes, and a cut behind them': [
      Buffer.concat([half(strays(Array(16).fill(1))), end]),
      /pixels are missing/,
    ],
  };
  for (const [name, [bytes, message]] of Object.entries(refused)) {
    const found = await refusal(bytes);
    t.match(found, /^invalid_image: The asset [^\n]*\.$/, name);
    t.match(found, message, name);
    t.notMatch(found, /Vips|libjpeg|libpng|0x/i, name);
  }
});

const LOSSES = scaled({ short: 1, long: 3 }, 'LOSSES');
const GROUPS = [1, 2, 4].flatMap((across) => [1, 2, 4].map((down) => [across, down] as const));

test(`a loss in the last lines refuses an image of any sampling (TEST_SEED=${seed})`, async (t) => {
  const next = random(seed);
  let refused = 0;
  for (const components of [1, 3] as const) {
    for (const group of GROUPS.filter(([across, down]) => across * down <= 8)) {
      for (let lines = 280; lines < 312; lines += 1) {
        const how = `${components} components, ${group.join(' × ')}, ${lines} lines`;
        const whole = writtenJpeg(next, { components, group, lines });
        const wanted = await outcome(whole);
        const plainly = await sharp(whole).toColourspace('srgb').raw().toBuffer();
        if (plainly.toString('latin1') !== wanted) t.fail(`${how}: the pixels are those of the decoder`);
        for (let round = 0; round < LOSSES; round += 1) {
          const cut = Buffer.concat([whole.subarray(0, -3 - next.integer(100)), Buffer.from([0xff, 0xd9])]);
          const found = await outcome(cut);
          if (found !== wanted && found.length > 200) t.fail(`${how}: a loss is found`);
          if (found !== wanted) refused += 1;
        }
      }
    }
  }
  t.ok(refused > 400 * LOSSES, `${refused} were refused`);
});

test(`stray bytes are cut out of a file of ${STRAY_FILE_BYTES_MAX} bytes, and not of a larger one`, async (t) => {
  const stray = strays(Array(16).fill(1));
  const comments = (bytes: number) => {
    const parts: Buffer[] = [];
    for (let left = bytes; left > 0; left -= parts.at(-1)?.length ?? 0) {
      const length = left > 60_000 ? 50_000 : left;
      parts.push(
        Buffer.alloc(length).fill(Buffer.from([0xff, 0xfe, (length - 2) >> 8, (length - 2) & 255]), 0, 4),
      );
    }
    return Buffer.concat([stray.subarray(0, 2), ...parts, stray.subarray(2)]);
  };
  const room = STRAY_FILE_BYTES_MAX - stray.length;
  t.equal(comments(room).length, STRAY_FILE_BYTES_MAX);
  t.equal(await refusal(comments(room)), '');
  t.match(await refusal(comments(room + 1)), /^invalid_image: .* damaged/);
});

test(`a JPEG of ${LIMITS.jpegScans} scans is decoded, one of more is not`, async (t) => {
  const most = withScans(progressive, LIMITS.jpegScans);
  t.equal(jpegParts(most).scans, LIMITS.jpegScans);
  t.notMatch(await refusal(most), /scans; the limit/);
  const over = withScans(progressive, LIMITS.jpegScans + 1);
  t.equal(
    await refusal(over),
    `invalid_image: The asset has ${LIMITS.jpegScans + 1} scans; the limit is ${LIMITS.jpegScans}.`,
  );
  const fewer = put(photo, startOf(photo, 0xdb), [0xff, 0xfe, 0, 8, 0xff, 0xda, 0xff, 0xda, 0xff, 0xda]);
  t.equal(await refusal(fewer), '', 'scans in a comment do not count');
});

test(`a JPEG of ${LIMITS.jpegMarkers} markers is decoded, one of more is not`, async (t) => {
  const comment = [0xff, 0xfe, 0, 2];
  const plainJpeg = await jpeg();
  const own = jpegParts(plainJpeg).markers;
  const many = (markers: number) =>
    put(plainJpeg, 2, Array.from({ length: markers - own }, () => comment).flat());
  t.equal(jpegParts(many(LIMITS.jpegMarkers)).markers, LIMITS.jpegMarkers);
  t.equal(await refusal(many(LIMITS.jpegMarkers)), '');
  t.match(await refusal(many(LIMITS.jpegMarkers + 1)), /more than the limit of 10000 markers/);
  t.match(await refusal(many(100_000)), /^invalid_image/);
});

/** Changes without a loss: of the file, and of what `sent` makes of its scan. */
function harmless(next: Random, bytes: Buffer): Buffer {
  let made = bytes;
  const isSequential = segmentsOf(bytes, 0xc2).length === 0;
  if (made[3] === 0xe0 && next.integer(2) === 0) made = edited(made, 11, next.integer(9), next.integer(3));
  if (isSequential && next.integer(2) === 0) {
    made = edited(made, parameters(made), next.integer(64), next.integer(64), next.integer(256));
  }
  const value = next.pick([0, 0x20, 0x0a, 0xff]);
  for (let count = next.integer(4); count > 0; count -= 1) {
    const { segments } = jpegParts(made);
    const first = segments.findIndex(({ marker }) => marker === 0xda);
    const { start } = segments[next.integer(Math.max(first, 0) + 1)] ?? { start: 6 };
    made = put(made, start - 4, Array(1 + next.integer(300)).fill(value));
  }
  return made;
}

/** Changes that lose something. */
function lossy(next: Random, bytes: Buffer): Buffer {
  const { end } = segmentsOf(bytes, 0xda)[0] as { end: number };
  const at = end + next.integer(bytes.length - end);
  const { start } = next.pick(jpegParts(bytes).segments);
  switch (next.integer(3)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xd9])]);
    default:
      return edited(bytes, start - 4, next.integer(255));
  }
}

test('a progressive JPEG that lacks a scan is refused, wherever it was cut or changed', async (t) => {
  const wanted = await outcome(progressive);
  const end = Buffer.from([0xff, 0xd9]);
  const scans = segmentsOf(progressive, 0xda);
  t.ok(scans.length > 5);
  const { segments } = jpegParts(progressive);
  for (const { marker, start } of segments.filter((each) => each.start > (scans[0]?.start ?? 0))) {
    const at = start - 4;
    const cut = Buffer.concat([progressive.subarray(0, at), end]);
    t.match(await outcome(cut), /pixels are missing/, `cut at byte ${at}, before marker ${marker}`);
    for (const value of [0, 0x20, 0xfe]) {
      const found = await outcome(edited(progressive, at, value));
      t.ok(found === wanted || found.length < 200, `marker ${marker} at ${at} begins with ${value}`);
    }
  }
  t.equal(
    await refusal(Buffer.concat([progressive.subarray(0, (scans.at(-1)?.start ?? 0) - 4), end])),
    'invalid_image: The asset is truncated or damaged: pixels are missing.',
  );
});

test(`${MUTATED} changed JPEGs have the same pixels or are refused (TEST_SEED=${seed})`, async (t) => {
  const next = random(seed);
  let [kept, refused] = [0, 0];
  for (let round = 0; round < MUTATED; round += 1) {
    const written = { components: next.pick([1, 3] as const), interval: next.pick([0, 36, 100]) };
    const own = next.integer(1e6);
    const value = next.integer(255);
    const stray = () => (next.integer(2) === 0 ? undefined : Array(2 + next.integer(40)).fill(value));
    const original = next.pick([writtenJpeg(random(own), written), photo, progressive]);
    const wanted = await outcome(original);
    t.ok((await outcome(harmless(next, original))) === wanted, `round ${round}: a harmless change`);
    const withStrays = writtenJpeg(random(own), { ...written, stray });
    const same = await outcome(writtenJpeg(random(own), written));
    t.ok((await outcome(harmless(next, withStrays))) === same, `round ${round}: stray bytes`);
    const found = await outcome(harmless(next, lossy(next, original)));
    if (found === wanted) kept += 1;
    else {
      refused += 1;
      t.ok(found.length < 200, `round ${round}: a loss is refused, or no pixel is lost`);
    }
    const anywhere = edited(original, next.integer(original.length), next.integer(256));
    t.equal(typeof (await outcome(anywhere)), 'string');
  }
  t.comment(`${kept} had the same pixels, ${refused} were refused`);
  t.ok(refused > 0);
});
