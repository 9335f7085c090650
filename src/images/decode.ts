import sharp, { type Sharp } from 'sharp';
import { LIMITS } from '../api/index.js';
import type { Size } from './size.js';

// libvips is one for all threads of the process, and must outlive them all: the main thread imports this too, by way of
// `decide`, before it starts another. Of its loaders only two may run, both on bytes in memory: whatever a file looks
// like, nothing else parses it.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
// A decode uses one thread, and what it made is not kept for another.
sharp.concurrency(1);
sharp.cache(false);

/**
 * A PNG or JPEG as pixels: RGB, 8 bits each, row by row, upright where its EXIF data say how it was held. Its header
 * must promise no more pixels than the limits allow. Asked for them it rejects where the image cannot be read, also
 * where only its end is missing.
 */
export function pixelsOf(bytes: Buffer): Sharp {
  return sharp(bytes, {
    failOn: 'warning',
    limitInputPixels: LIMITS.imageSidePixelsMax ** 2,
    sequentialRead: true,
  })
    .autoOrient()
    .removeAlpha()
    .toColourspace('srgb')
    .raw({ depth: 'uchar' });
}

/**
 * Decodes an image to the last pixel; null where it cannot be read.
 *
 * What bounds the memory of all decodes: a request has one at a time; they run on the threads of libuv, one pool for
 * the process, by default four; and each has at most the limit of pixels. Of these only a third comes back, the least
 * that can: the pixels of 32 images, not yet collected as garbage, were 100 MiB.
 */
export async function decodeSize(bytes: Buffer): Promise<Size | null> {
  try {
    const { info } = await pixelsOf(bytes).extractChannel(0).toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height };
  } catch {
    // What libvips says names functions of its own.
    return null;
  }
}
