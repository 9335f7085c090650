import { DeciderError } from './client-error.js';

/**
 * When a call may be sent again.
 *
 * - `always`: sending it twice does no more than sending it once: reads, a cancellation, a submission with an
 *   `Idempotency-Key`.
 * - `unanswered`: it is charged each time. It is sent again only if nothing was sent, or the server has answered with an
 *   error, which is never charged.
 */
export type Repeatable = 'always' | 'unanswered';

/** A server that asks to wait longer than this is not asked again. */
export const RETRY_AFTER_SECONDS_MAX = 60;
/** The wait without `Retry-After`. */
const USUAL_WAIT_MS = 1_000;
/** The first wait after a fault of the server or of the connection; it doubles each time. */
const FIRST_WAIT_MS = 500;
const WAIT_MS_MAX = 8_000;
/** Waits are longer by up to this part, so that clients do not come back together. */
const SPREAD = 0.25;

/**
 * The milliseconds to wait before a failed call is sent again (docs/errors.md); null: it is not.
 *
 * @param attempts how often it has been sent
 * @param random from 0 to less than 1
 */
export function waitBeforeRetry(
  error: unknown,
  repeatable: Repeatable,
  attempts: number,
  random: number,
): number | null {
  if (!(error instanceof DeciderError) || !error.isTemporary) return null;
  if (error.outcomeUnknown && repeatable !== 'always') return null;
  const { retryAfterSeconds, status } = error;
  if (retryAfterSeconds !== null && retryAfterSeconds > RETRY_AFTER_SECONDS_MAX) return null;
  return baseWait(retryAfterSeconds, status, attempts) * (1 + SPREAD * random);
}

function baseWait(retryAfterSeconds: number | null, status: number | null, attempts: number): number {
  if (retryAfterSeconds !== null) return retryAfterSeconds * 1_000;
  if (status === 408 || status === 429 || status === 503) return USUAL_WAIT_MS;
  return Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), WAIT_MS_MAX);
}
