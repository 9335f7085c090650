import type { ShownPart } from '../../engine/index.js';
import type { ImageUse } from '../types.js';

/** A text as the model reads it: each reference is replaced by its image, the rest stays (contract 4.3 rule 3). */
export function shownParts(text: string, uses: readonly ImageUse[]): ShownPart[] {
  if (uses.length === 0) return [text];
  const parts: ShownPart[] = [];
  let at = 0;
  for (const { start, end, asset } of uses) {
    if (start > at) parts.push(text.slice(at, start));
    parts.push({ image: asset });
    at = end;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}
