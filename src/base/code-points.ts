/**
 * Whether a text has more than `max` characters. Limits of characters are about Unicode code points, as in PostgreSQL and in
 * JSON Schema; `length` counts most emoji twice.
 */
export const exceedsCodePoints = (text: string, max: number): boolean =>
  // A code point has at most two code units: shorter and longer texts need not be counted.
  text.length > max && (text.length > 2 * max || [...text].length > max);
