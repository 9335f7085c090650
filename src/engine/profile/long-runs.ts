/**
 * Stack of a thread that tokenizes callers' text, in MiB. For most vocabularies of type BPE, llama.cpp splits text with
 * `std::regex`, which recurses once per character of a match: it takes up to 450 bytes of stack for each. A state of
 * 20,000 letters without a space overflowed Node's usual 4 MiB and ended the process.
 */
export const TOKENIZING_STACK_MEBIBYTES = 128;

/**
 * Longest run of text without a change between white space and other characters that is tokenized as a whole. A match
 * has at most two such runs, which take less than half of the stack.
 */
export const RUN_UNITS_MAX = 65_536;

const SPACE = 0x20;

/** Cuts a text wherever a run exceeds its bound; other texts come back whole. Surrogate pairs are not cut. */
export function cutLongRuns(text: string): string[] {
  if (text.length <= RUN_UNITS_MAX) return [text];
  const parts: string[] = [];
  let start = 0;
  let run = 0;
  let wasSpace = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const isSpace = unit <= SPACE;
    if (isSpace !== wasSpace) run = 0;
    wasSpace = isSpace;
    if (run >= RUN_UNITS_MAX && !isLowSurrogate(unit)) {
      parts.push(text.slice(start, at));
      start = at;
      run = 0;
    }
    run += 1;
  }
  return [...parts, text.slice(start)];
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
