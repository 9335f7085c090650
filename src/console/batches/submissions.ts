import { BrowserStore } from '../ui/browser-store.js';
import type { Submission } from './next-submission.js';

/** Submissions that are remembered. */
const SUBMISSIONS_MAX = 50;

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

/** The last submission of a file by a key; null if none is known. */
export const submissionOf = (key: string, digest: string): Submission | null =>
  STORE.read()?.find((each) => each.key === key && each.digest === digest) ?? null;

/** The submissions of other files. */
const others = ({ key, digest }: Pick<Submission, 'key' | 'digest'>): Submission[] =>
  (STORE.read() ?? []).filter((each) => each.key !== key || each.digest !== digest);

/** Remembers a submission in place of the one of the same file. */
export function remember(submission: Submission): void {
  STORE.write([submission, ...others(submission)].slice(0, SUBMISSIONS_MAX));
}

/** Forgets a submission that made no batch. `last`: the one of the same file before it. */
export function forget(submission: Pick<Submission, 'key' | 'digest'>, last: Submission | null): void {
  STORE.write([...(last === null ? [] : [last]), ...others(submission)]);
}
