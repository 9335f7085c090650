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
export declare const RETRY_AFTER_SECONDS_MAX = 60;
/**
 * The milliseconds to wait before a failed call is sent again (docs/errors.md); null: it is not.
 *
 * @param attempts how often it has been sent
 * @param random from 0 to less than 1
 */
export declare function waitBeforeRetry(error: unknown, repeatable: Repeatable, attempts: number, random: number): number | null;
