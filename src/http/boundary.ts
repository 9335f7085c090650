import { parameterValues } from '../base/index.js';

/** RFC 2046, 5.1.1: 1 to 70 characters, the last of which is no space. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/**
 * The `boundary` of a `multipart/form-data` media type. Returns null if the boundary is missing, repeated or not allowed
 * by RFC 2046, or if the parameters cannot be parsed. An unquoted boundary may contain any allowed character except a
 * space: clients send such values although RFC 9110 requires quotes for some of them.
 */
export function readBoundary(type: string): string | null {
  const start = type.indexOf(';');
  if (start < 0) return null;
  const [value, ...others] = parameterValues(type, start, 'boundary') ?? [];
  if (value === undefined || others.length > 0) return null;
  const boundary = unquote(value);
  return BOUNDARY.test(boundary) ? boundary : null;
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
}
