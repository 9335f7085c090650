import { type ApiError, LIMITS } from '../api/index.js';
import { type Framing, valuesOf } from './head.js';
import type { HeaderList, Incoming, UnreadReason } from './transport/transport-types.js';

/**
 * Whether the connection closes after an error. The transport discards an unread body and keeps the connection, unless
 * the unread body is chunked or over the limit.
 *
 * @param framing undefined if it could not be read
 */
export function endsWithError(error: ApiError, framing: Framing | undefined): boolean {
  if (framing === undefined || tooLongToDiscard(framing)) return true;
  return error.type === 'length_required' || error.type === 'request_timeout';
}

/** Why a connection that closes after an error does not wait for the rest of the request; undefined: it waits. */
export function unreadReason(error: ApiError, framing: Framing | undefined): UnreadReason | undefined {
  if (framing === undefined) return 'unframed';
  return error.type === 'request_timeout' ? 'overdue' : undefined;
}

/** Whether an unread body is chunked or over the limit, so that closing is cheaper than discarding it. */
export function tooLongToDiscard({ length, chunked }: Framing): boolean {
  return chunked || (length ?? 0) > LIMITS.bodyBytes;
}

/**
 * Whether the connection closes after any response: because the client asked for it, because the client is a browser, or
 * because the client waits for a `100 Continue` it did not get, and may or may not send the body after the response (RFC
 * 9110, 10.1.1).
 *
 * @param begun whether receiving the body was started
 */
export function endsByRequest({ headers }: Pick<Incoming, 'headers'>, begun: boolean): boolean {
  if (isFromBrowser(headers)) return true;
  const options = valuesOf(headers, 'connection').flatMap((value) => value.toLowerCase().split(','));
  if (options.some((option) => option.trim() === 'close')) return true;
  return !begun && valuesOf(headers, 'expect').some((value) => value.toLowerCase() === '100-continue');
}

/**
 * Whether a browser sent a request. If a connection that it has used before closes without a response, a browser sends the
 * request again by itself, also a decision, which would be charged twice. It reuses no connection that every response closes.
 * `Sec-Fetch-Mode` is no sign: Node's `fetch` sends it too, and browsers do not over plain HTTP.
 */
export function isFromBrowser(headers: HeaderList): boolean {
  if (valuesOf(headers, 'origin').length > 0) return true;
  return valuesOf(headers, 'user-agent').some((value) => value.startsWith('Mozilla/'));
}
