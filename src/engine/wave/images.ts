import { createHash } from 'node:crypto';
import type { Pixels } from '../addon/types.js';
import { imageAt } from '../profile/image-tokens.js';

/** An image of a plan, in the size in which its projector sees it. */
export interface PlanImage extends Pixels {
  /** Equal for the same pixels, and only for them. */
  readonly key: string;
}

/** Where the run of equal places that begins at `start` ends: behind the tokens of an image. */
export function runEnd(tokens: Int32Array, start: number): number {
  let end = start;
  while (end < tokens.length && tokens[end] === tokens[start]) end += 1;
  return end;
}

/** Where the text that begins at `start` ends: before the next image. */
export function textEnd(tokens: Int32Array, start: number, until = tokens.length): number {
  let end = start;
  while (end < until && (tokens[end] as number) >= 0) end += 1;
  return end;
}

/**
 * What prefixes are found again by: equal for equal tokens that show equal images, whatever places these have in the
 * lists of their requests. SHA-256, so that nobody can make two prefixes share one.
 */
export function prefixKey(prefix: Int32Array, images: readonly PlanImage[] = []): string {
  const hash = createHash('sha256');
  if (images.length === 0) return hash.update(prefix).digest('base64');
  const shown = new Map<number, number>();
  const renamed = prefix.map((token) => {
    const image = imageAt(token);
    if (image < 0) return token;
    if (!shown.has(image)) shown.set(image, shown.size);
    return -1 - (shown.get(image) as number);
  });
  hash.update(renamed);
  for (const image of shown.keys()) hash.update(`${images[image]?.key} `);
  return hash.digest('base64');
}
