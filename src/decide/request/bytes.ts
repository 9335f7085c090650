/** The bytes of JSON's syntax, which are also their UTF-16 code units. */
export const BYTE = {
  tab: 0x09,
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  backslash: 0x5c,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  u: 0x75,
} as const;

/** JSON's four whitespace characters (RFC 8259, section 2). */
export function isSpace(code: number): boolean {
  return code === BYTE.space || code === BYTE.lineFeed || code === BYTE.carriageReturn || code === BYTE.tab;
}

/** Bytes that are scanned one by one before a native search takes over, which costs about 50 ns. */
const WALK_BYTES = 32;

/**
 * Finds the end of the JSON string that opens at `open`.
 *
 * @returns the index after its closing quote, or the body's length if it is not closed. Time is linear in the string's
 *   length for any content: short strings and dense escapes are scanned bytewise, long runs are skipped.
 */
export function stringEnd(body: Buffer, open: number): number {
  let at = open + 1;
  for (;;) {
    const walkEnd = Math.min(at + WALK_BYTES, body.length);
    while (at < walkEnd) {
      const byte = body[at];
      if (byte === BYTE.quote) return at + 1;
      at += byte === BYTE.backslash ? 2 : 1;
    }
    const quote = body.indexOf(BYTE.quote, at);
    if (quote < 0) return body.length;
    if (!isEscaped(body, at, quote)) return quote + 1;
    at = quote + 1;
  }
}

/** Whether an odd number of backslashes stands before `quote`; `start` must not be inside an escape. */
function isEscaped(body: Buffer, start: number, quote: number): boolean {
  let first = quote;
  while (first > start && body[first - 1] === BYTE.backslash) first -= 1;
  return (quote - first) % 2 === 1;
}
