import { BrowserStore } from '../ui/browser-store.js';

/** For how long the server recognizes a repeated submission (contract 4.6 rule 8). */
const KNOWN_MS = 86_400_000;
/** Submissions that are remembered. */
const SUBMISSIONS_MAX = 50;

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
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
}

const isSubmission = (value: unknown): value is Submission => {
  const { key, digest, repeats, batch, at } = (value ?? {}) as Record<string, unknown>;
  return (
    [key, digest].every((each) => typeof each === 'string') &&
    [repeats, at].every(Number.isFinite) &&
    (batch === null || (typeof batch === 'string' && /^batch_\w+$/.test(batch)))
  );
};

const STORE = new BrowserStore<Submission[]>('decider.submissions', 'browser', (stored) =>
  Array.isArray(stored) ? stored.filter(isSubmission) : null,
);

/** The last submission of a file by a key that the server still recognizes; null if none is known. */
export function submissionOf(key: string, digest: string, now: number): Submission | null {
  const found = STORE.read()?.find((each) => each.key === key && each.digest === digest) ?? null;
  return found !== null && Math.abs(now - found.at) < KNOWN_MS ? found : null;
}

/** The submissions of other files. */
const others = ({ key, digest }: Pick<Submission, 'key' | 'digest'>): Submission[] =>
  (STORE.read() ?? []).filter((each) => each.key !== key || each.digest !== digest);

/** Remembers a submission in place of the one of the same file. */
export function remember(submission: Submission): void {
  STORE.write([submission, ...others(submission)].slice(0, SUBMISSIONS_MAX));
}

/** Forgets a submission that made no batch. */
export function forget(submission: Pick<Submission, 'key' | 'digest'>): void {
  STORE.write(others(submission));
}

/**
 * The `Idempotency-Key` of a submission. It follows from the file, so that a submission that is repeated after the page was
 * left, or in another tab, makes no second batch.
 */
export const idempotencyKeyOf = ({ digest, repeats }: Pick<Submission, 'digest' | 'repeats'>): string =>
  `console-${digest}-${repeats}`;
