import { ApiError, LIMITS } from '../api/index.js';
import type { Framing } from './framing.js';
import { type HeaderList, valuesOf } from './headers.js';

/**
 * Checks what a request says of its body before a byte of it is read (contract 4.1): `length_required`,
 * `body_too_large`, `unsupported_encoding`, `unsupported_media_type`, in this order. Returns its length in bytes.
 */
export function checkContent(framing: Framing, headers: HeaderList): number {
  const length = checkLength(framing);
  checkEncoding(headers);
  checkMediaType(headers);
  return length;
}

function checkLength({ length }: Framing): number {
  if (length === null) throw new ApiError('length_required', 'A Content-Length header is required.');
  if (length <= LIMITS.bodyBytes) return length;
  throw new ApiError('body_too_large', `The body is larger than the limit of ${LIMITS.bodyBytes} bytes.`);
}

function checkEncoding(headers: HeaderList): void {
  const encodings = valuesOf(headers, 'content-encoding');
  if (encodings.every((encoding) => encoding.toLowerCase() === 'identity')) return;
  throw new ApiError('unsupported_encoding', 'Content-Encoding can only be identity.');
}

/** `application/json`, or any type with the suffix `+json`; parameters are not looked at. */
const JSON_TYPE = /^(application\/json|[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+\+json)\s*(;.*)?$/i;

function checkMediaType(headers: HeaderList): void {
  const types = valuesOf(headers, 'content-type');
  if (types.length === 1 && JSON_TYPE.test(types[0] ?? '')) return;
  throw new ApiError('unsupported_media_type', 'Content-Type must be application/json.');
}
