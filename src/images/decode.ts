import type { Sharp, default as SharpLibrary } from 'sharp';
import { LIMITS } from '../api/index.js';
import { INCOMPLETE, OTHER_SIDES, predicateOf, strayWarning } from './decoder-messages.js';
import { repairedJpeg } from './jpeg-faults.js';
import { LINES_BEHIND_MAX, withLinesBehind } from './jpeg-last-rows.js';
import { jpegParts } from './jpeg-parts.js';
import { lacksScans } from './jpeg-progression.js';
import { withoutStrayBytes } from './jpeg-stray-bytes.js';
import type { Bitmap, Size } from './pixels.js';

let loading: Promise<typeof SharpLibrary> | null = null;

/**
 * Loads the library of image formats (70 ms of processor time). A thread does so with its first image: most threads never
 * decode one. The process has one libvips, which must outlive all threads, so the main thread must call this before it
 * starts another.
 */
export function loadImageLibrary(): Promise<typeof SharpLibrary> {
  loading ??= load();
  return loading;
}

async function load(): Promise<typeof SharpLibrary> {
  const { default: sharp } = await import('sharp');
  // Only two loaders are enabled, both for bytes in memory, so that no other parser is reached.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
  // A decode uses one thread, and its result is not cached.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}

/** The predicate of a sentence that says why an image cannot be decoded. */
export interface Undecodable {
  readonly predicate: string;
}

/** The largest image that contract 8 allows. */
const LARGEST: Size = { width: LIMITS.imageSidePixelsMax, height: LIMITS.imageSidePixelsMax };
/** The pixels of a file that the decoder may read, with the lines that are added to it. */
const pixelLimit = ({ width, height }: Size): number => width * (height + LINES_BEHIND_MAX);

/**
 * Decodes a PNG or JPEG completely. Its structure must have been checked. Transparency is composited over white; EXIF
 * orientation is ignored, and so is a colour profile, except that of a CMYK JPEG: models were trained on numbers of files as
 * Pillow reads them. Faults of a JPEG that no pixel depends on are repaired first; whatever the decoder warns of
 * then is a loss, and refuses the image.
 *
 * The memory of all decodes is bounded: a request has one at a time; they run on the threads of libuv, of which the process
 * has four by default; and each has at most the limit of pixels. So is their time: by the pixels, the scans and the bytes.
 *
 * @param size in its header
 */
export async function decode(bytes: Buffer, size: Size = LARGEST): Promise<Bitmap | Undecodable> {
  return bitmapOf(await finish(bytes, (file, isCmyk) => pixelsOf(file, size, isCmyk)));
}

/**
 * Decodes a PNG or JPEG as `decode` does, but to fewer columns. Each row is reduced after it is decoded (bicubic, a = −0.5,
 * antialiased), so that the whole image is in memory only where the file has it in several passes.
 *
 * @param size in its header
 */
export async function decodeColumns(
  bytes: Buffer,
  size: Size,
  columns: number,
): Promise<Bitmap | Undecodable> {
  const found = await finish(bytes, async (file, isCmyk) => {
    const image = await pixelsOf(file, size, isCmyk);
    const { width, height } = await image.metadata();
    if (width !== size.width || height < size.height) throw new Error(OTHER_SIDES);
    return image.resize({ width: columns, height, fit: 'fill', kernel: 'cubic', fastShrinkOnLoad: false });
  });
  return bitmapOf(found);
}

/** Like `decode`, but returns only the size: a third of the pixel data is copied, the least that sharp can return. */
export async function decodeSize(bytes: Buffer): Promise<Size | Undecodable> {
  const found = await finish(bytes, async (file, isCmyk) =>
    (await pixelsOf(file, LARGEST, isCmyk)).extractChannel(0),
  );
  return isUndecodable(found) ? found : { width: found.width, height: found.height };
}

export const isUndecodable = (found: object): found is Undecodable => 'predicate' in found;

/**
 * Red, green and blue of 8 bits each, row by row.
 *
 * @param isCmyk there are no numbers of red, green and blue in the file: its profile, or a usual one, says what they are
 */
async function pixelsOf(bytes: Buffer, size: Size, isCmyk: boolean): Promise<Sharp> {
  const sharp = await loadImageLibrary();
  const limitInputPixels = Math.max(pixelLimit(LARGEST), pixelLimit(size));
  return sharp(bytes, { failOn: 'warning', limitInputPixels, sequentialRead: true, ignoreIcc: !isCmyk })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' });
}

const JPEG_MAGIC = 0xffd8;
const CHANNELS = 3;
const CMYK_COMPONENTS = 4;

/** Pixels, of which `data` may have more lines than `height`. */
interface Decoded extends Size {
  readonly data: Buffer;
}

function bitmapOf(found: Decoded | Undecodable): Bitmap | Undecodable {
  if (isUndecodable(found)) return found;
  const { data, width, height } = found;
  return { width, height, rgb: data.subarray(0, CHANNELS * width * height) };
}

/** @param made what is done with the pixels of a file, which may be a repaired one with more lines */
async function finish(
  bytes: Buffer,
  made: (file: Buffer, isCmyk: boolean) => Promise<Sharp>,
): Promise<Decoded | Undecodable> {
  const run = async (file: Buffer, isCmyk: boolean, lines?: number) => {
    const { data, info } = await (await made(file, isCmyk)).toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: lines ?? info.height };
  };
  if (bytes.readUInt16BE() !== JPEG_MAGIC) {
    return run(bytes, false).catch((error: unknown) => ({ predicate: predicateOf(messageOf(error)) }));
  }
  const parts = jpegParts(bytes);
  if (lacksScans(bytes, parts)) return { predicate: INCOMPLETE };
  const repaired = repairedJpeg(bytes, parts);
  const isCmyk = parts.frame?.components === CMYK_COMPONENTS;
  const runJpeg = (file: Buffer) => run(withLinesBehind(file), isCmyk, parts.frame?.height);
  try {
    return await runJpeg(repaired);
  } catch (error) {
    const reason = messageOf(error);
    const warning = strayWarning(reason);
    const whole = warning === null ? null : withoutStrayBytes(repaired, warning);
    if (whole === null) return { predicate: predicateOf(reason) };
    return runJpeg(whole).catch(() => ({ predicate: predicateOf(reason) }));
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : '');
