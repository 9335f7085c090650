import { createHash } from 'node:crypto';
import type { PlanImage } from '../engine/index.js';
import type { Size } from './size.js';

/** An image in memory: red, green and blue of 8 bits each, pixel by pixel, row by row. */
export interface Pixels extends Size {
  readonly rgb: Uint8Array | Uint8ClampedArray;
}

/** Names pixels by what they are; their memory stays theirs. */
export function toImage({ width, height, rgb }: Pixels): PlanImage {
  const key = createHash('sha256').update(`${width} ${height} `).update(rgb).digest('base64');
  return { width, height, rgb: new Uint8Array(rgb.buffer, rgb.byteOffset, rgb.byteLength), key };
}
