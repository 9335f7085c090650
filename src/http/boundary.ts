/** A parameter of a media type (RFC 9110, 5.6.6): its name, and its value with the quotes or without. */
const PARAMETER = /;[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)=("(?:[^"\\]|\\.)*"|[^\s;"]+))?[ \t]*/y;

/** RFC 2046, 5.1.1: 1 to 70 characters, the last of which is no space. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/**
 * The `boundary` of a `multipart/form-data` media type, or null where there is none, it is given twice, it is not one
 * that RFC 2046 allows, or the parameters cannot be read. Without quotes it may hold any of its characters but the
 * space, as clients send it, though RFC 9110 would have some of them quoted.
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
