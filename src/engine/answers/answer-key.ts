import { createHash } from 'node:crypto';
import type { Plan } from '../wave/wave-types.js';

/**
 * The key of a plan's answer, for one loaded build: equal for plans of one workspace with equal tokens, options and
 * images, and only for them.
 *
 * It covers the plan completely, because that is all that an engine is given. All lengths come first, so that no two
 * plans have the same bytes. SHA-256, so that collisions cannot be crafted.
 */
export function answerKey(workspace: string, { prefix, suffixes, images }: Plan): string {
  const texts = [workspace, ...images.map(({ key }) => key)].map((text) => Buffer.from(text));
  const lists = [prefix, ...suffixes.flatMap(({ tokens, options }) => [tokens, options])];
  const hash = createHash('sha256');
  hash.update(Int32Array.of(texts.length, lists.length));
  hash.update(Int32Array.from([...texts, ...lists], ({ length }) => length));
  for (const each of [...texts, ...lists]) hash.update(each);
  return hash.digest('base64');
}
