import { ApiError } from '../api/index.js';
import { type HeaderList, valuesOf } from './headers.js';

/** Where a request ends. */
export interface Framing {
  /** Bytes of the body as announced; null without `Content-Length`. */
  readonly length: number | null;
  /** The body comes in chunks of unknown number. */
  readonly chunked: boolean;
}

/** Digits; not more than every reader has room for. */
const LENGTH = /^[0-9]{1,18}$/;

/**
 * Reads how the request is framed, and refuses (`invalid_request`) what two readers could understand
 * differently: one of them takes for a body what the other takes for the next request. This comes before all
 * other checks, since without it there is no telling which request is being checked.
 */
export function readFraming(headers: HeaderList): Framing {
  const lengths = valuesOf(headers, 'content-length');
  const encodings = valuesOf(headers, 'transfer-encoding');
  if (valuesOf(headers, '').length > 0) throw ambiguous('a header field has no name');
  if (valuesOf(headers, 'host').length !== 1) throw ambiguous('exactly one Host header is required');
  if (lengths.length > 1) throw ambiguous('Content-Length appears more than once');
  if (lengths.length > 0 && encodings.length > 0) {
    throw ambiguous('Content-Length and Transfer-Encoding exclude each other');
  }
  if (encodings.length > 1 || (encodings[0] ?? 'chunked').toLowerCase() !== 'chunked') {
    throw ambiguous('Transfer-Encoding can only be chunked');
  }
  const [length] = lengths;
  if (length !== undefined && !LENGTH.test(length)) throw ambiguous('Content-Length is not a number');
  return { length: length === undefined ? null : Number(length), chunked: encodings.length > 0 };
}

function ambiguous(why: string): ApiError {
  return new ApiError('invalid_request', `The request's framing is ambiguous: ${why}.`);
}
