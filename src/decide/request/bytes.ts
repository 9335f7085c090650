/** The bytes that JSON's structure is written with; the same numbers are their UTF-16 code units. */
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
