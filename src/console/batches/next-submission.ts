import { Sha256 } from './sha256.js';

/**
 * How long the console counts on the server to recognize a repeated submission: an hour less than the 24 hours of contract
 * 4.6 rule 8, because the file is sent before it is recognized.
 */
export const REPEATABLE_MS = 23 * 60 * 60 * 1_000;

/** A submission that was begun from this browser. It holds nothing of the file but its digest. */
export interface Submission {
  /** The id of the key that submitted it. */
  readonly key: string;
  /** SHA-256 of the file. */
  readonly digest: string;
  /** How often the file was submitted on purpose before. */
  readonly repeats: number;
  /** Null: the response has not arrived, so it is not known whether there is a batch. */
  readonly batch: string | null;
  /** When it was sent first, in milliseconds since 1970 by the clock of the server, which counts from then. */
  readonly at: number;
  /** Absent: a console of before 0.3 has sent it, with an idempotency key of that time. */
  readonly keyed?: true;
}

/** A submission that may not have begun. */
export type Sent = Pick<Submission, 'key' | 'digest' | 'repeats'>;

/** Whether a submission that got no answer can be sent again, and makes no second batch. `now`: by the server's clock. */
export const isRepeatable = ({ batch, at }: Submission, now: number): boolean =>
  batch === null && Math.abs(now - at) < REPEATABLE_MS;

/**
 * The submission of a file after the last one of it: a new one, or the last one again. Null: it would be the last one again,
 * and would make a second batch.
 */
export function nextSubmission(sent: Sent, last: Submission | null, now: number): Submission | null {
  if (last === null || sent.repeats > last.repeats) return { ...sent, batch: null, at: now, keyed: true };
  return sent.repeats === last.repeats && isRepeatable(last, now) ? last : null;
}

/**
 * The `Idempotency-Key` of a submission. It follows from the file and the token, so that a submission that is repeated after
 * the page was left, or in another tab, makes no second batch. Without the token, the digest of this key in the store cannot
 * be used to test guesses of the file.
 */
export function idempotencyKeyOf({ digest, repeats, keyed }: Submission, token: string): string {
  const file = `${digest}-${repeats}`;
  if (keyed === undefined) return `console-${file}`;
  const hash = new Sha256();
  hash.add(new TextEncoder().encode(`${token} ${file}`));
  return `console-${hash.end()}`;
}
