import { createHash } from 'node:crypto';
import { imageAt } from '../profile/index.js';
import type { PlanImage } from './images.js';

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
