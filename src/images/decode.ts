import type { Sharp, default as SharpLibrary } from 'sharp';
import { LIMITS } from '../api/index.js';
import { INCOMPLETE, predicateOf, strayWarning } from './decoder-messages.js';
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

/**
 * Decodes a PNG or JPEG completely. Its structure must have been checked. Transparency is composited over white; EXIF
 * orientation is ignored. Faults of a JPEG that no pixel depends on are repaired first; whatever the decoder warns of
 * then is a loss, and refuses the image.
 *
 * The memory of all decodes is bounded: a request has one at a time; they run on the threads of libuv, of which the process
 * has four by default; and each has at most the limit of pixels. So is their time: by the pixels, the scans and the bytes.
 */
export async function decode(bytes: Buffer): Promise<Bitmap | Undecodable> {
  const found = await finish(bytes, (image) => image);
  if (isUndecodable(found)) return found;
  const { data, width, height } = found;
  return { width, height, rgb: data.subarray(0, CHANNELS * width * height) };
}

/** Like `decode`, but returns only the size: a third of the pixel data is copied, the least that sharp can return. */
export async function decodeSize(bytes: Buffer): Promise<Size | Undecodable> {
  const found = await finish(bytes, (image) => image.extractChannel(0));
  return isUndecodable(found) ? found : { width: found.width, height: found.height };
}

export const isUndecodable = (found: object): found is Undecodable => 'predicate' in found;

/** Red, green and blue of 8 bits each, row by row. */
async function pixelsOf(bytes: Buffer): Promise<Sharp> {
  const sharp = await loadImageLibrary();
  return sharp(bytes, {
    failOn: 'warning',
    limitInputPixels: LIMITS.imageSidePixelsMax * (LIMITS.imageSidePixelsMax + LINES_BEHIND_MAX),
    sequentialRead: true,
  })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' });
}

const JPEG_MAGIC = 0xffd8;
const CHANNELS = 3;

/** `data` may have more lines than `height`. */
async function finish(bytes: Buffer, made: (image: Sharp) => Sharp) {
  const run = async (file: Buffer, lines?: number) => {
    const { data, info } = await made(await pixelsOf(file)).toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: lines ?? info.height };
  };
  if (bytes.readUInt16BE() !== JPEG_MAGIC) {
    return run(bytes).catch((error: unknown) => ({ predicate: predicateOf(messageOf(error)) }));
  }
  const parts = jpegParts(bytes);
  if (lacksScans(bytes, parts)) return { predicate: INCOMPLETE };
  const repaired = repairedJpeg(bytes, parts);
  const runJpeg = (file: Buffer) => run(withLinesBehind(file), parts.frame?.height);
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
