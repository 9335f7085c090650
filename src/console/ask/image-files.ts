import type { ImageDraft } from './ask-draft.js';
import { partOf } from './request.js';

/**
 * The names of the files from which programs read the images. They are different, also where case does not count: pasted
 * images have the same name.
 */
export function imageFiles(images: readonly Pick<ImageDraft, 'source' | 'format'>[]): string[] {
  const names: string[] = [];
  for (const [at, { source, format }] of images.entries()) {
    let name = source.replace(/[^\w.-]/g, '_') || `${partOf(at)}.${format}`;
    while (names.some((each) => each.toLowerCase() === name.toLowerCase())) name = `${at + 1}-${name}`;
    names.push(name);
  }
  return names;
}
