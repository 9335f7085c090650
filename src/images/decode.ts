import type { Sharp, default as SharpLibrary } from 'sharp';
import { LIMITS } from '../api/index.js';
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

/**
 * Decodes a PNG or JPEG completely; null if it cannot be decoded, or is truncated. Its header must have been checked
 * against the limits. Transparency is composited over white; EXIF orientation is ignored.
 *
 * The memory of all decodes is bounded: a request has one at a time; they run on the threads of libuv, of which the process
 * has four by default; and each has at most the limit of pixels.
 */
export async function decode(bytes: Buffer): Promise<Bitmap | null> {
  const found = await finish(await pixelsOf(bytes));
  return found && { width: found.info.width, height: found.info.height, rgb: found.data };
}

/** Like `decode`, but returns only the size: a third of the pixel data is copied, the least that sharp can return. */
export async function decodeSize(bytes: Buffer): Promise<Size | null> {
  const found = await finish((await pixelsOf(bytes)).extractChannel(0));
  return found && { width: found.info.width, height: found.info.height };
}

/** Red, green and blue of 8 bits each, row by row. */
async function pixelsOf(bytes: Buffer): Promise<Sharp> {
  const sharp = await loadImageLibrary();
  return sharp(bytes, {
    failOn: 'warning',
    limitInputPixels: LIMITS.imageSidePixelsMax ** 2,
    sequentialRead: true,
  })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' });
}

async function finish(image: Sharp) {
  try {
    return await image.toBuffer({ resolveWithObject: true });
  } catch {
    // The messages of libvips name its functions and are of no use to a caller.
    return null;
  }
}
