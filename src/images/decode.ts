import sharp from 'sharp';
import { LIMITS } from '../api/index.js';
import type { Size } from './size.js';

// libvips is one for all threads of the process. Of its loaders only two may run, both on bytes in memory: whatever a
// file looks like, nothing else parses it.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
// A decode at one time uses one thread, and what it made is not kept for another.
sharp.concurrency(1);
sharp.cache(false);

/** A decoded image: RGB, 8 bits each, row by row. */
export interface Pixels extends Size {
  readonly data: Buffer;
}

/**
 * Decodes a PNG or JPEG whose header promises no more pixels than the limits allow, upright where its EXIF data say
 * how it was held. Resolves with null where it cannot be read, also where only its end is missing.
 *
 * It runs on the threads of libuv: with their default number four decode at one time, whoever calls.
 */
export async function decodeImage(bytes: Buffer): Promise<Pixels | null> {
  try {
    const { data, info } = await sharp(bytes, {
      failOn: 'warning',
      limitInputPixels: LIMITS.imageSidePixelsMax ** 2,
      sequentialRead: true,
    })
      .autoOrient()
      .removeAlpha()
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, data };
  } catch {
    // What libvips says names functions of its own.
    return null;
  }
}
