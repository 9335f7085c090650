import sharp, { type Sharp } from 'sharp';
import { LIMITS } from '../api/index.js';
import type { Bitmap, Size } from './pixels.js';

// libvips is one for all threads of the process, and must outlive them all: the main thread imports this too, by way of
// `decide`, before it starts another. Of its loaders only two may run, both on bytes in memory: whatever a file looks
// like, nothing else parses it.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
// A decode uses one thread, and what it made is not kept for another.
sharp.concurrency(1);
sharp.cache(false);

/**
 * A PNG or JPEG as pixels, all of whose bytes were read; null where it cannot be read, also where only its end is missing.
 * Its header must promise no more pixels than the limits allow. What lets through is shown over white, as on a page; EXIF
 * data turn nothing, as nothing else about the bytes is changed on their way to the model.
 *
 * What bounds the memory of all decodes: a request has one at a time; they run on the threads of libuv, one pool for
 * the process, by default four; and each has at most the limit of pixels.
 */
export async function decode(bytes: Buffer): Promise<Bitmap | null> {
  const found = await finish(pixelsOf(bytes));
  return found && { width: found.info.width, height: found.info.height, rgb: found.data };
}

/** The same where only the size is of use: a third of the pixels comes back, the least that can. */
export async function decodeSize(bytes: Buffer): Promise<Size | null> {
  const found = await finish(pixelsOf(bytes).extractChannel(0));
  return found && { width: found.info.width, height: found.info.height };
}

/** Red, green and blue of 8 bits each, row by row. */
function pixelsOf(bytes: Buffer): Sharp {
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
    // What libvips says names functions of its own.
    return null;
  }
}
