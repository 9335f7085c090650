/** A parameter of a media type (RFC 9110, 5.6.6): its name, and its value with the quotes or without. */
const PARAMETER = /;[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)=("(?:[^"\\]|\\.)*"|[^\s;"]+))?[ \t]*/y;

/** RFC 2046, 5.1.1: 1 to 70 characters, the last of which is no space. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/**
 * The `boundary` of a `multipart/form-data` media type. Returns null if the boundary is missing, repeated or not allowed
 * by RFC 2046, or if the parameters cannot be parsed. An unquoted boundary may contain any allowed character except a
 * space: clients send such values although RFC 9110 requires quotes for some of them.
 */
export function readBoundary(type: string): string | null {
  let boundary: string | null = null;
  const start = type.indexOf(';');
  if (start < 0) return null;
  PARAMETER.lastIndex = start;
  while (PARAMETER.lastIndex < type.length) {
    const match = PARAMETER.exec(type);
    if (match === null) return null;
    const [, name, value] = match;
    if (name?.toLowerCase() !== 'boundary') continue;
    if (boundary !== null) return null;
    boundary = unquote(value as string);
  }
  return boundary !== null && BOUNDARY.test(boundary) ? boundary : null;
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
}
