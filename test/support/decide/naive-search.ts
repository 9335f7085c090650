import type { Found } from '../../../src/decide/references/search.js';

/** What the rule says, place by place: the longest reference that begins here, or the next place. */
export function naiveFind(text: string, references: readonly string[]): Found[] {
  const found: Found[] = [];
  for (let at = 0; at < text.length; ) {
    const here = references.filter((reference) => text.startsWith(reference, at));
    const longest = here.sort((a, b) => b.length - a.length)[0];
    if (longest === undefined) at += 1;
    else {
      found.push({ start: at, end: at + longest.length, reference: references.indexOf(longest) });
      at += longest.length;
    }
  }
  return found;
}
