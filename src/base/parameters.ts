/** `; name=value` of a header field, its value quoted or not (RFC 9110, 5.6.6); or a `;` without a parameter. */
const PARAMETER = /;[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)=("(?:[^"\\]|\\.)*"|[^\s;"]+)[ \t]*)?/y;

/**
 * The values of one parameter of a header field, in the order sent, with their quotes; null if the parameters cannot be
 * parsed.
 *
 * @param text the value of the field
 * @param start where the first `;` is
 * @param name in lower case
 */
export function parameterValues(text: string, start: number, name: string): string[] | null {
  const values: string[] = [];
  PARAMETER.lastIndex = start;
  while (PARAMETER.lastIndex < text.length) {
    const match = PARAMETER.exec(text);
    if (match === null) return null;
    const [, parameter, value = ''] = match;
    if (parameter?.toLowerCase() === name) values.push(value);
  }
  return values;
}
