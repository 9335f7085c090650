import { ApiError } from '../api/index.js';
import type { BodyStream, HeaderList, MalformedStatus, Reply, WholeReply } from './transport/index.js';

/** A 200 with a JSON text or a stream, and headers of its own besides the common ones. */
export function okReply(requestId: string, body: string | BodyStream, own: HeaderList = []): Reply {
  const headers = typeof body === 'string' ? commonHeaders(requestId) : streamHeaders(requestId, body);
  return { status: 200, headers: [...headers, ...own], body, close: false };
}

/**
 * The answer of contract 2.9, with `Allow` and `Retry-After` where they belong (contract 4.1): every 503 carries
 * the latter, one second unless the error says otherwise.
 */
export function errorReply(
  requestId: string,
  error: ApiError,
  close: boolean,
  own: HeaderList = [],
): WholeReply {
  const headers = [...commonHeaders(requestId), ...own];
  const { allow, retryAfterSeconds } = error.headers;
  if (allow !== undefined) headers.push(['Allow', allow.join(', ')]);
  if (error.headers.final === true) headers.push(['X-Should-Retry', 'false']);
  if (error.status === 401) headers.push(['WWW-Authenticate', 'Bearer']);
  if (retryAfterSeconds !== undefined || error.status === 503) {
    headers.push(['Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds ?? 1)))]);
  }
  return { status: error.status, headers, body: JSON.stringify(error.body()), close };
}

/** The answer to what is no request that we read: 400 in the shape of contract 2.9, the others bare. */
export function malformedReply(requestId: string, status: MalformedStatus): WholeReply {
  if (status !== 400) return { status, headers: idHeaders(requestId), body: '', close: true };
  return errorReply(requestId, new ApiError('invalid_request', 'This is not an HTTP request.'), true);
}

const streamHeaders = (requestId: string, { type }: BodyStream): HeaderList => [
  ...idHeaders(requestId),
  ['Content-Type', type],
];

function commonHeaders(requestId: string): HeaderList {
  return [...idHeaders(requestId), ['Content-Type', 'application/json; charset=utf-8']];
}

/** The same id twice: one client of the family reads only the second. */
function idHeaders(requestId: string): HeaderList {
  return [
    ['X-Request-Id', requestId],
    ['X-TypeSafe-Request-Id', requestId],
  ];
}
