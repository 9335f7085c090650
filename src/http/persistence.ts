import { type ApiError, LIMITS } from '../api/index.js';
import { type Framing, valuesOf } from './head.js';
import type { Incoming, UnreadReason } from './transport/types.js';

/**
 * Whether the connection ends behind an error. A body that was not read is discarded by the transport and the
 * connection stays, as long as the body's end is known and near.
 *
 * @param framing undefined where it could not be read
 */
export function endsWithError(error: ApiError, framing: Framing | undefined): boolean {
  if (framing === undefined || tooLongToDiscard(framing)) return true;
  return error.type === 'length_required' || error.type === 'request_timeout';
}

/** Why a connection that ends behind an error does not wait for the rest of the request; undefined: it does. */
export function unreadReason(error: ApiError, framing: Framing | undefined): UnreadReason | undefined {
  if (framing === undefined) return 'unframed';
  return error.type === 'request_timeout' ? 'overdue' : undefined;
}

/** Whether a body that nobody reads is longer than what is worth receiving. */
export function tooLongToDiscard({ length, chunked }: Framing): boolean {
  return chunked || (length ?? 0) > LIMITS.bodyBytes;
}

/**
 * Whether the connection ends behind any answer: the client says so, or it waits for a `100 Continue` that it was not
 * given, and may or may not send the body when it sees the answer (RFC 9110, 10.1.1).
 *
 * @param begun whether the body was asked for
 */
export function endsByRequest({ headers }: Pick<Incoming, 'headers'>, begun: boolean): boolean {
  const options = valuesOf(headers, 'connection').flatMap((value) => value.toLowerCase().split(','));
  if (options.some((option) => option.trim() === 'close')) return true;
  return !begun && valuesOf(headers, 'expect').some((value) => value.toLowerCase() === '100-continue');
}
