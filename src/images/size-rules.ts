import { LIMITS } from '../api/index.js';
import type { Size } from './pixels.js';
import { refused } from './refused.js';

/**
 * Which sides an image may have: `exact`, those of contract 8, for which the models' own rule of scaling is used; `scaled`,
 * any up to a number of pixels and a proportion.
 */
export type SizeRule = 'exact' | 'scaled';

/** Throws ApiError `image_dimensions`. */
export function checkSize(rule: SizeRule, subject: string, size: Size): void {
  const fault = rule === 'exact' ? faultOfSides(size) : faultOfPixels(size);
  if (fault === null) return;
  throw refused('image_dimensions', `${subject} has ${size.width} × ${size.height} pixels; ${fault}`);
}

function faultOfSides({ width, height }: Size): string | null {
  const { imageSidePixelsMin: min, imageSidePixelsMax: max } = LIMITS;
  if (Math.min(width, height) >= min && Math.max(width, height) <= max) return null;
  return `each side must have ${min} to ${max}`;
}

function faultOfPixels({ width, height }: Size): string | null {
  const { scaledImagePixels: pixels, scaledImageProportion: proportion } = LIMITS;
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)];
  if (shorter < 1) return 'each side must have at least 1';
  if (width * height > pixels) return `the limit is ${pixels} pixels`;
  if (longer <= shorter * proportion) return null;
  return `the longer side may have at most ${proportion} times the pixels of the shorter one`;
}
