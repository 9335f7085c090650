import type { ImageDraft } from './ask-draft.js';
import { partOf } from './request.js';

/** Browsers save no file whose name begins with a dot under that name, and for curl the name `-` is its input. */
const NOT_IN_NAMES = /[^\w.-]|^[.-]/g;

/**
 * The names of the files from which programs read the images. They are different, also where case does not count: pasted
 * images have the same name.
 */
export function imageFiles(images: readonly Pick<ImageDraft, 'source' | 'format'>[]): string[] {
  const names: string[] = [];
  for (const [at, { source, format }] of images.entries()) {
    let name = source.replace(NOT_IN_NAMES, '_') || `${partOf(at)}.${format}`;
    while (names.some((each) => each.toLowerCase() === name.toLowerCase())) name = `${at + 1}-${name}`;
    names.push(name);
  }
  return names;
}
