import { ApiError, type ErrorForm, type ErrorType, openAiErrorBody, openAiStatus } from '../api/index.js';
import type { DecisionFacts } from './app.js';
import {
  type BodyStream,
  type HeaderList,
  isStream,
  type MalformedStatus,
  type Reply,
  type WholeReply,
} from './transport/transport-types.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A response: a JSON string, a stream or a file, and headers besides the common ones. */
export interface RouteReply {
  /** 304: the client has the body already. 200 if absent. */
  readonly status?: 200 | 304;
  readonly body: string | Uint8Array | BodyStream;
  /** The media type of a file. */
  readonly type?: string;
  readonly headers?: HeaderList;
  /** Of a decision that was answered. */
  readonly decision?: DecisionFacts;
}

/** The response of a route, with headers besides the common ones. */
export function okReply(requestId: string, { status = 200, body, type }: RouteReply, own: HeaderList): Reply {
  const media = isStream(body) ? body.type : (type ?? JSON_TYPE);
  const headers: HeaderList = [...idHeaders(requestId), ['Content-Type', media], ...own];
  return { status, headers, body, close: false };
}

/**
 * An error response (contract 2.9, or OpenAI's form of it) with `Allow` and `Retry-After` where required (contract 4.1). Every 503 has
 * `Retry-After`, one second unless the error says otherwise.
 */
export function errorReply(
  requestId: string,
  error: ApiError,
  close: boolean,
  own: HeaderList = [],
  form: ErrorForm = 'own',
): WholeReply {
  const headers = [...commonHeaders(requestId), ...own];
  const { allow, retryAfterSeconds } = error.headers;
  if (allow !== undefined) headers.push(['Allow', allow.join(', ')]);
  if (error.headers.final === true) headers.push(['X-Should-Retry', 'false']);
  if (error.status === 401) headers.push(['WWW-Authenticate', 'Bearer']);
  if (retryAfterSeconds !== undefined || error.status === 503) {
    headers.push(['Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds ?? 1)))]);
  }
  const [status, body] =
    form === 'openai'
      ? [openAiStatus(error.type), JSON.stringify(openAiErrorBody(error))]
      : [error.status, error.body()];
  return { status, headers, body, close };
}

/** What a listener answers to bytes that are not a request that it serves. */
export const MALFORMED = {
  400: ['invalid_request', 'The bytes are not a valid HTTP/1.1 request.'],
  431: ['headers_too_large', 'The request line and header fields exceed the limit of 16 KiB or 98 fields.'],
  505: [
    'http_version_not_supported',
    'The first line must be a method, a path and HTTP/1.1. Behind nginx, set proxy_http_version 1.1.',
  ],
} as const satisfies Readonly<Record<MalformedStatus, readonly [ErrorType, message: string]>>;

/** The response to a request in plain HTTP on a port that speaks HTTPS. */
export function plainReply(requestId: string): WholeReply {
  const error = new ApiError(
    'invalid_request',
    'This port speaks HTTPS, and the request came in plain HTTP. Use an address that begins with https.',
  );
  return { ...errorReply(requestId, error, true), unread: 'unframed' };
}

/** The response to bytes that are not a request we serve. */
export function malformedReply(requestId: string, status: MalformedStatus): WholeReply {
  const [type, message] = MALFORMED[status];
  return { ...errorReply(requestId, new ApiError(type, message), true), unread: 'unframed' };
}

function commonHeaders(requestId: string): HeaderList {
  return [...idHeaders(requestId), ['Content-Type', JSON_TYPE]];
}

/** The same id twice: one client library reads only the second header. */
function idHeaders(requestId: string): HeaderList {
  return [
    ['X-Request-Id', requestId],
    ['X-TypeSafe-Request-Id', requestId],
  ];
}
