import { METHODS } from 'node:http';
import { ApiError } from '../api/index.js';

/**
 * Whether a target is a path, with a query or without: RFC 9112, 3.2.1, of visible ASCII characters. Proxies' absolute
 * targets, `*` and authorities are not served.
 */
export function isOriginForm(target: string): boolean {
  return /^\/[\x21-\x7e]*$/.test(target);
}

const KNOWN: ReadonlySet<string> = new Set(METHODS);

/** Throws ApiError `invalid_request` for a method that node:http has no name for, or whose request is no request. */
export function checkMethodKnown(method: string): void {
  if (KNOWN.has(method) && method !== 'CONNECT') return;
  throw new ApiError('invalid_request', 'The method is not one that HTTP knows, in capitals.');
}
