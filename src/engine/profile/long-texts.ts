/**
 * Stack of a thread that tokenizes callers' text, in MiB. For most vocabularies of type BPE, llama.cpp splits text with
 * `std::regex`, which recurses once per character of a match: it takes up to 450 bytes of stack for each. A state of
 * 20,000 letters without a space overflowed Node's usual 4 MiB and ended the process.
 */
export const TOKENIZING_STACK_MEBIBYTES = 128;

/**
 * Longest text that is tokenized as a whole, in UTF-16 code units. No match is longer, whatever the text and the expressions
 * of the vocabulary are, so a match takes less than half of the stack. Matches end at no character that all vocabularies
 * have in common: some of them match words and the spaces between them together.
 */
export const WHOLE_UNITS_MAX = 131_072;

/** How far before the end of a part a space or line end is searched for, in code units. */
const SEARCHED_UNITS = 1_024;

/** Where a cut changes no tokens of most vocabularies: those of words begin with a space. Not all languages have spaces. */
const AFTER_WORD = /^[\p{L}\p{N}][ \n]$/u;

/** Cuts a text that is too long, where possible before the space or line end behind a word; others come back whole. */
export function cutLongText(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  while (text.length - start > WHOLE_UNITS_MAX) {
    const end = endOfPart(text, start + WHOLE_UNITS_MAX);
    parts.push(text.slice(start, end));
    start = end;
  }
  return [...parts, text.slice(start)];
}

/** Where a part ends that may not go beyond `limit`: a surrogate pair is not cut. */
function endOfPart(text: string, limit: number): number {
  for (let at = limit; at > limit - SEARCHED_UNITS; at--) {
    if (AFTER_WORD.test(text.slice(at - 1, at + 1))) return at;
  }
  return isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit;
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
