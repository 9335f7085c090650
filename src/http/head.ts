import { METHODS } from 'node:http';
import { ApiError } from '../api/index.js';
import type { HeaderList } from './transport/transport-types.js';

/** Every value of a field, in the order sent. `name` in lower case. */
export function valuesOf(headers: HeaderList, name: string): string[] {
  return headers.filter(([field]) => field === name).map(([, value]) => value.trim());
}

/**
 * Whether a target is in origin form (RFC 9112, 3.2.1): a path of visible ASCII characters, with a query or without.
 * Absolute targets, `*` and authorities are not served.
 */
export function isOriginForm(target: string): boolean {
  return /^\/[\x21-\x7e]*$/.test(target);
}

const KNOWN: ReadonlySet<string> = new Set(METHODS);

/** Throws `invalid_request` for CONNECT and for methods that node:http does not know. */
export function checkMethodKnown(method: string): void {
  if (KNOWN.has(method) && method !== 'CONNECT') return;
  throw new ApiError('invalid_request', 'The HTTP method is unknown. Methods are upper case.');
}

/** How the end of a request is known. */
export interface Framing {
  /** Bytes of the body as announced; null without `Content-Length`. */
  readonly length: number | null;
  /** Whether the body is sent in chunks, of unknown length. */
  readonly chunked: boolean;
}

/** Digits, few enough for every implementation. */
const LENGTH = /^[0-9]{1,18}$/;

/**
 * Reads how the request is framed. Throws `invalid_request` for framing that two implementations could read
 * differently, so that one takes for a body what the other takes for the next request. Precedes all other checks.
 */
export function readFraming(headers: HeaderList): Framing {
  const lengths = valuesOf(headers, 'content-length');
  const encodings = valuesOf(headers, 'transfer-encoding');
  if (valuesOf(headers, '').length > 0) throw ambiguous('a header field has no name');
  if (valuesOf(headers, 'host').length !== 1) throw ambiguous('exactly one Host header is required');
  if (lengths.length > 1) throw ambiguous('Content-Length appears more than once');
  if (lengths.length > 0 && encodings.length > 0) {
    throw ambiguous('Content-Length and Transfer-Encoding are mutually exclusive');
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
