import { createHash } from 'node:crypto';
import type { Pixels } from '../addon/addon-types.js';
import { imageAt } from '../profile/image-tokens.js';

/** An image of a plan, in the size that its projector expects. */
export interface PlanImage extends Pixels {
  /** Equal for the same pixels, and only for them; in an engine, of one workspace (see `withWorkspace`). */
  readonly key: string;
}

/** The end of the image whose tokens begin at `start`. */
export function runEnd(tokens: Int32Array, start: number): number {
  let end = start;
  while (end < tokens.length && tokens[end] === tokens[start]) end += 1;
  return end;
}

/** The end of the text that begins at `start`: the next image, or `until`. */
export function textEnd(tokens: Int32Array, start: number, until = tokens.length): number {
  let end = start;
  while (end < until && (tokens[end] as number) >= 0) end += 1;
  return end;
}

/**
 * The cache key of a prefix: equal for equal tokens with equal images, whatever the images' indexes in their requests.
 * SHA-256, so that collisions cannot be crafted.
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
