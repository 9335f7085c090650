import { deflateSync } from 'node:zlib';

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc(bytes: Buffer): number {
  let value = ~0;
  for (const byte of bytes) value = (CRC_TABLE[(value ^ byte) & 255] as number) ^ (value >>> 8);
  return ~value >>> 0;
}

/** A chunk with its checksum. `length`: what it says its content has. */
export function chunk(type: string, content: Buffer = Buffer.alloc(0), length = content.length): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [start, end] = [Buffer.alloc(4), Buffer.alloc(4)];
  start.writeUInt32BE(length);
  end.writeUInt32BE(crc(body));
  return Buffer.concat([start, body, end]);
}

/** A chunk whose checksum is that of another content. */
export function brokenChunk(whole: Buffer): Buffer {
  const broken = Buffer.from(whole);
  broken[broken.length - 1] = (broken.at(-1) as number) ^ 1;
  return broken;
}

/** How the samples of a pixel are stored: colour type (PNG 1.2, 4.1.1), bits, and one pixel of the colour wanted. */
export interface Samples {
  readonly type: number;
  readonly depth: number;
  /** 8 or more bits: the bytes of one pixel. Fewer: the byte that a row is filled with. */
  readonly pixel: readonly number[];
}

export const RGB: Samples = { type: 2, depth: 8, pixel: [200, 100, 50] };

export function header(
  width: number,
  height: number,
  { type, depth }: Samples = RGB,
  interlaced = false,
): Buffer {
  const content = Buffer.alloc(13);
  content.writeUInt32BE(width, 0);
  content.writeUInt32BE(height, 4);
  content.set([depth, type, 0, 0, interlaced ? 1 : 0], 8);
  return chunk('IHDR', content);
}

/** The rows of one colour, each behind the number of its filter, uncompressed. */
function rows(width: number, height: number, { depth, pixel }: Samples): Buffer {
  const bytes = depth < 8 ? Math.ceil((width * depth) / 8) : width * pixel.length;
  const row = Buffer.alloc(1 + bytes, Buffer.from(pixel));
  row.copyWithin(1, 0);
  row[0] = 0;
  if (depth >= 8) for (let at = 0; at < bytes; at += 1) row[1 + at] = pixel[at % pixel.length] as number;
  else row.fill(pixel[0] as number, 1);
  return Buffer.concat(Array.from({ length: height }, () => row));
}

/** The seven passes of an interlaced image: where each begins, and its steps (PNG 1.2, 2.6). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

export function pixels(width: number, height: number, samples: Samples = RGB, interlaced = false): Buffer {
  if (!interlaced) return deflateSync(rows(width, height, samples));
  const passes = PASSES.map(([x, y, stepX, stepY]) =>
    rows(Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY), samples),
  );
  return deflateSync(Buffer.concat(passes));
}

export interface PngOptions {
  readonly width?: number;
  readonly height?: number;
  readonly samples?: Samples;
  readonly interlaced?: boolean;
  /** Chunks between the header and the pixels. */
  readonly before?: readonly Buffer[];
  /** Chunks between the pixels and the end. */
  readonly after?: readonly Buffer[];
}

/** The chunks of a PNG of one colour, its pixels in two of them. */
export function pngChunks({
  width = 300,
  height = 290,
  samples = RGB,
  interlaced = false,
  before = [],
  after = [],
}: PngOptions = {}): Buffer[] {
  const data = pixels(width, height, samples, interlaced);
  const half = Math.floor(data.length / 2);
  return [
    header(width, height, samples, interlaced),
    ...before,
    chunk('IDAT', data.subarray(0, half)),
    chunk('IDAT', data.subarray(half)),
    ...after,
    chunk('IEND'),
  ];
}

export const png = (options?: PngOptions) => Buffer.concat([SIGNATURE, ...pngChunks(options)]);
