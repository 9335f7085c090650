import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import type { ErrorType, ImageFormat } from '../../../src/api/index.js';
import { jpeg, noisyJpeg, resized, segments, withSegment } from './jpeg.js';
import { brokenChunk, chunk, header, pixels, png, pngChunks, RGB, type Samples, SIGNATURE } from './png.js';

/** A file, what it is sent as, and what must come of it: the pixel it has everywhere, or how it is refused. */
export interface Case {
  readonly name: string;
  readonly bytes: Buffer;
  readonly format: ImageFormat;
  readonly expected: ErrorType | readonly number[];
}

const COLOUR = RGB.pixel;
const GREY = [120, 120, 120];
/** What lets through is shown over it. */
const WHITE = [255, 255, 255];
/** Two fifths of the colour, three of white. */
const BLENDED = [233, 193, 173];
const SAMPLES: Record<string, Samples & { before?: Buffer[]; shows: readonly number[] }> = {
  'grey, 1 bit': { type: 0, depth: 1, pixel: [0xff], shows: [255, 255, 255] },
  'grey, 4 bits': { type: 0, depth: 4, pixel: [0x88], shows: [136, 136, 136] },
  'grey, 8 bits': { type: 0, depth: 8, pixel: [120], shows: GREY },
  'grey, 16 bits': { type: 0, depth: 16, pixel: [120, 120], shows: GREY },
  'RGB, 8 bits': { ...RGB, shows: COLOUR },
  'RGB, 16 bits': { type: 2, depth: 16, pixel: [200, 200, 100, 100, 50, 50], shows: COLOUR },
  'palette, 8 bits': {
    type: 3,
    depth: 8,
    pixel: [1],
    before: [chunk('PLTE', Buffer.from([0, 0, 0, ...COLOUR]))],
    shows: COLOUR,
  },
  'palette, 2 bits, transparent': {
    type: 3,
    depth: 2,
    pixel: [0x55],
    before: [chunk('PLTE', Buffer.from([0, 0, 0, ...COLOUR])), chunk('tRNS', Buffer.from([255, 0]))],
    shows: WHITE,
  },
  'grey and alpha': { type: 4, depth: 8, pixel: [120, 102], shows: [201, 201, 201] },
  'RGB and alpha, 16 bits': {
    type: 6,
    depth: 16,
    pixel: [200, 200, 100, 100, 50, 50, 102, 102],
    shows: BLENDED,
  },
};

/** Everything that is read. */
function pngKinds(): Case[] {
  return Object.entries(SAMPLES).flatMap(([kind, { before, shows, ...samples }]) =>
    [false, true].map((interlaced) => ({
      name: `PNG ${kind}${interlaced ? ', interlaced' : ''}`,
      bytes: png({ samples, interlaced, ...(before && { before }) }),
      format: 'png' as const,
      expected: shows,
    })),
  );
}

/** A PNG with a chunk of every kind, cut inside each part of each chunk. */
function truncatedPngs(): Case[] {
  const { before = [], ...samples } = SAMPLES['palette, 2 bits, transparent'] as (typeof SAMPLES)[string];
  const text = chunk('tEXt', Buffer.from('Comment\0hello'));
  const chunks = pngChunks({
    samples,
    before: [chunk('gAMA', Buffer.from([0, 0, 0xb1, 0x8f])), ...before, text],
  });
  let at = SIGNATURE.length;
  return chunks.flatMap((each) => {
    const start = at;
    at += each.length;
    const type = each.toString('latin1', 4, 8);
    const cuts = {
      length: 2,
      type: 6,
      content: 8 + Math.floor((each.length - 12) / 2),
      checksum: each.length - 2,
    };
    return Object.entries(cuts).map(([part, bytes]) => ({
      name: `PNG cut in the ${part} of ${type} at ${start}`,
      bytes: Buffer.concat([SIGNATURE, ...chunks]).subarray(0, start + bytes),
      format: 'png' as const,
      expected: 'invalid_image' as const,
    }));
  });
}

function brokenPngs(): Case[] {
  const chunks = pngChunks({ before: [chunk('PLTE', Buffer.from(COLOUR))] });
  const of = (name: string, bytes: Buffer, expected: Case['expected']): Case => ({
    name: `PNG ${name}`,
    bytes,
    format: 'png',
    expected,
  });
  const big = deflateSync(Buffer.alloc(64 * 1024 * 1024));
  const profile = (body: Buffer) => Buffer.concat([Buffer.from('x\0\0'), body]);
  const text = chunk('tEXt', Buffer.from('Comment\0hello'));
  const crcs = chunks.map((each, index) =>
    of(
      `with a wrong checksum of ${each.toString('latin1', 4, 8)} ${index}`,
      Buffer.concat([SIGNATURE, ...chunks.map((other, i) => (i === index ? brokenChunk(other) : other))]),
      // Nothing of the pixels depends on the end, or on the palette of an image that has its own colours.
      ['PLTE', 'IEND'].includes(each.toString('latin1', 4, 8)) ? COLOUR : 'invalid_image',
    ),
  );
  return [
    ...crcs,
    of('with a wrong checksum of a comment', png({ before: [brokenChunk(text)] }), COLOUR),
    of(
      'of 30,000 × 30,000',
      png({ width: 30_000, height: 300 }).fill(header(30_000, 30_000), 8, 33),
      'image_dimensions',
    ),
    of(
      'of 0 × 0',
      Buffer.concat([SIGNATURE, header(0, 0), chunk('IDAT', pixels(300, 300)), chunk('IEND')]),
      'image_dimensions',
    ),
    of(
      'of 4,294,967,295 pixels',
      Buffer.concat([SIGNATURE, header(0xffffffff, 300), chunk('IEND')]),
      'image_dimensions',
    ),
    of('of 279 pixels', png({ width: 279 }), 'image_dimensions'),
    of('of 1,569 pixels', png({ height: 1_569 }), 'image_dimensions'),
    of('of 280 × 1,568', png({ width: 280, height: 1_568 }), COLOUR),
    of(
      'of 1,568 × 1,568, 16 bits, interlaced',
      png({
        width: 1_568,
        height: 1_568,
        interlaced: true,
        samples: SAMPLES['RGB and alpha, 16 bits'] as Samples,
      }),
      BLENDED,
    ),
    of('with a second header of 30,000', png({ before: [header(30_000, 30_000)] }), 'invalid_image'),
    of('whose header is not first', Buffer.concat([SIGNATURE, text, ...chunks]), 'invalid_image'),
    of(
      'whose header has 12 bytes',
      Buffer.concat([SIGNATURE, chunk('IHDR', Buffer.alloc(12)), ...chunks.slice(1)]),
      'invalid_image',
    ),
    of('of a colour type that there is not', png({ samples: { ...RGB, type: 5 } }), 'invalid_image'),
    of('without pixels', Buffer.concat([SIGNATURE, header(300, 300), chunk('IEND')]), 'invalid_image'),
    of(
      'with too few rows',
      Buffer.concat([SIGNATURE, header(300, 300), chunk('IDAT', pixels(300, 299)), chunk('IEND')]),
      'invalid_image',
    ),
    of(
      'with 64 MiB of pixels too many',
      Buffer.concat([SIGNATURE, header(300, 300), chunk('IDAT', big), chunk('IEND')]),
      [0, 0, 0],
    ),
    of('with 64 MiB in a comment', png({ before: [chunk('zTXt', profile(big))] }), COLOUR),
    of('with 64 MiB in a colour profile', png({ before: [chunk('iCCP', profile(big))] }), COLOUR),
    of('with 10,000 comments', png({ before: Array(10_000).fill(text) }), COLOUR),
    of(
      'whose chunk is longer than the file',
      png({ before: [chunk('tEXt', Buffer.alloc(9), 0x7fffffff)] }),
      'invalid_image',
    ),
    of('with an unknown chunk that matters', png({ before: [chunk('ABCD')] }), 'invalid_image'),
    of('without a palette', png({ samples: { type: 3, depth: 8, pixel: [0] } }), 'invalid_image'),
    of('that is animated', png({ before: [chunk('acTL', Buffer.alloc(8))] }), 'unsupported_image_format'),
    of(
      'that is animated behind its pixels',
      png({ after: [chunk('acTL', Buffer.alloc(8))] }),
      'unsupported_image_format',
    ),
    of('with an animation behind its end', Buffer.concat([png(), chunk('acTL', Buffer.alloc(8))]), COLOUR),
    of('with trailing data', Buffer.concat([png(), Buffer.alloc(1_000, 'PK\u0003\u0004')]), COLOUR),
    of('with another behind it', Buffer.concat([png(), png({ width: 30_000 })]), COLOUR),
    of('of nothing', Buffer.alloc(0), 'invalid_image'),
    of('of half a signature', SIGNATURE.subarray(0, 4), 'unsupported_image_format'),
    of('of a signature', SIGNATURE, 'invalid_image'),
  ];
}

async function jpegs(): Promise<Case[]> {
  const of = (name: string, bytes: Buffer, expected: Case['expected']): Case => ({
    name: `JPEG ${name}`,
    bytes,
    format: 'jpeg',
    expected,
  });
  const [plain, noisy] = [await jpeg(), await noisyJpeg()];
  const parts = segments(plain);
  const scan = (segments(noisy).at(-1) as { end: number }).end;
  const scans = [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99].map(
    (part) => scan + Math.floor((noisy.length - scan) * part),
  );
  const orientations = await Promise.all(
    [1, 2, 3, 4, 5, 6, 7, 8].map(async (orientation) =>
      of(`turned by EXIF ${orientation}`, await jpeg({ orientation }), COLOUR),
    ),
  );
  return [
    of('plain', plain, COLOUR),
    of('progressive', await jpeg({ progressive: true }), COLOUR),
    of('grey', await jpeg({ grey: true }), [128, 128, 128]),
    of('CMYK', await jpeg({ cmyk: true }), COLOUR),
    ...orientations,
    ...parts.flatMap(({ marker, start, end }) =>
      [start + 1, start + 3, Math.floor((start + end) / 2)].map((cut) =>
        of(`cut in marker ${marker.toString(16)} at ${cut}`, plain.subarray(0, cut), 'invalid_image'),
      ),
    ),
    ...scans.map((cut) => of(`cut in its scan at ${cut}`, noisy.subarray(0, cut), 'invalid_image')),
    of('without its end', plain.subarray(0, plain.length - 2), 'invalid_image'),
    of('of three bytes', plain.subarray(0, 3), 'invalid_image'),
    of('of 30,000 × 30,000', resized(plain, 30_000, 30_000), 'image_dimensions'),
    of('of 300 × 0', resized(plain, 300, 0), 'image_dimensions'),
    of('of more rows than it has', resized(plain, 300, 1_568), 'invalid_image'),
    of('of a wider frame than it has', resized(noisy, 1_568, 290), 'invalid_image'),
    of('of 279 pixels', await jpeg({ width: 279 }), 'image_dimensions'),
    of('of 1,569 pixels', await jpeg({ height: 1_569 }), 'image_dimensions'),
    of(
      'of 1,568 × 1,568, progressive',
      await jpeg({ width: 1_568, height: 1_568, progressive: true }),
      COLOUR,
    ),
    of('with a second frame of 30,000', withSegment(plain, 0xc0, frameOf(30_000)), 'image_dimensions'),
    of(
      'with a thumbnail of 30,000 in a segment',
      withSegment(plain, 0xe1, resized(plain, 30_000, 30_000)),
      COLOUR,
    ),
    of(
      'of a lossless frame',
      Buffer.from(plain).fill(0xc3, frameAt(plain) + 1, frameAt(plain) + 2),
      'invalid_image',
    ),
    of('with trailing data', Buffer.concat([plain, Buffer.from('%PDF-1.7 and so on')]), COLOUR),
    of('with another behind it', Buffer.concat([plain, resized(plain, 30_000, 30_000)]), COLOUR),
    of('with a PDF in a comment', withSegment(plain, 0xfe, Buffer.from('%PDF-1.7\n1 0 obj')), COLOUR),
    of(
      'with a broken EXIF',
      withSegment(plain, 0xe1, Buffer.from('Exif\0\0II*\0\xff\xff\xff\xff', 'latin1')),
      COLOUR,
    ),
    of(
      'of zeros behind its magic',
      Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(9_000)]),
      'invalid_image',
    ),
    of('of FF without end', Buffer.alloc(100_000, 0xff).fill(0xd8, 1, 2), 'invalid_image'),
  ];
}

const frameAt = (file: Buffer) =>
  (segments(file).find(({ marker }) => marker === 0xc0) as { start: number }).start;

function frameOf(side: number): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
  frame.writeUInt16BE(side, 1);
  frame.writeUInt16BE(side, 3);
  return frame;
}

/** Files of other formats, under both names. */
async function others(): Promise<Case[]> {
  const create = { width: 300, height: 300, channels: 3, background: 'red' } as const;
  const files: Record<string, Buffer> = {
    GIF: await sharp({ create }).gif().toBuffer(),
    WebP: await sharp({ create }).webp().toBuffer(),
    TIFF: await sharp({ create }).tiff().toBuffer(),
    SVG: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"/>'),
    PDF: Buffer.from('%PDF-1.7\n'),
    BMP: Buffer.from('BM'.padEnd(200, '\0')),
    text: Buffer.from('hello'),
    'a PNG behind a byte': Buffer.concat([Buffer.from('\n'), png()]),
  };
  const formats = ['png', 'jpeg'] as const;
  const wrong = Object.entries(files).flatMap(([kind, bytes]) =>
    formats.map((format) => ({
      name: `${kind} as ${format}`,
      bytes,
      format,
      expected: 'unsupported_image_format' as const,
    })),
  );
  return [
    ...wrong,
    { name: 'PNG as jpeg', bytes: png(), format: 'jpeg', expected: 'unsupported_image_format' },
    { name: 'JPEG as png', bytes: await jpeg(), format: 'png', expected: 'unsupported_image_format' },
  ];
}

/** More than a hundred damaged or hostile image files. */
export async function hostileFiles(): Promise<Case[]> {
  return [...pngKinds(), ...truncatedPngs(), ...brokenPngs(), ...(await jpegs()), ...(await others())];
}
