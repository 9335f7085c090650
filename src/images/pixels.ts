import { createHash } from 'node:crypto';
import type { PlanImage } from '../engine/index.js';

/** An image in memory: red, green and blue of 8 bits each, pixel by pixel, row by row. */
export interface Bitmap extends Size {
  readonly rgb: Uint8Array | Uint8ClampedArray;
}

/** Adds a key to pixels, made from their content; the memory is not copied. */
export function toImage({ width, height, rgb }: Bitmap): PlanImage {
  const key = createHash('sha256').update(`${width} ${height} `).update(rgb).digest('base64');
  return { width, height, rgb: new Uint8Array(rgb.buffer, rgb.byteOffset, rgb.byteLength), key };
}

/** Width and height in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export const sameSize = (a: Size, b: Size) => a.width === b.width && a.height === b.height;

/**
 * The size to which an image is resized for a Gemma-4 projector: as many whole squares of `side` pixels as `tokens` allow,
 * close to its proportions; small images are enlarged. This is the rule published with the models, in its order of
 * operations, because another order can round differently.
 *
 * @param tokens the image budget of the request (contract 2.1 `image_budget`); `gridTokens` of the result never exceeds it
 */
export function gridSize({ width, height }: Size, tokens: number, side: number): Size {
  const factor = Math.sqrt((tokens * side ** 2) / (height * width));
  const whole = (length: number) => Math.floor((factor * length) / side) * side;
  return { width: whole(width), height: whole(height) };
}

/** Tokens of an image of that size without its markers: one per square. */
export function gridTokens({ width, height }: Size, side: number): number {
  return (width / side) * (height / side);
}
