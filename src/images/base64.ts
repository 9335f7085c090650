const OTHER = /[^A-Za-z0-9+/]/;

/**
 * How many bytes a standard base64 text holds (RFC 4648, 4: with padding, without white space or line breaks), or null
 * where it is none. Not the URL-safe alphabet, and no `data:` prefix (contract 2.3).
 */
export function base64Bytes(text: string): number | null {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  // Never a quantifier before the padding: on 22 MB it would backtrack.
  if (text.length % 4 !== 0 || OTHER.test(text.slice(0, text.length - padding))) return null;
  return (text.length / 4) * 3 - padding;
}
