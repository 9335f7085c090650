/** Waits between two polls of a batch, in milliseconds. */
const FIRST_MS = 1_000;
const LONGEST_MS = 15_000;
const LONGEST_FAILED_MS = 30_000;
const GROWTH = 1.6;

/** What the last poll found. */
type PollResult = 'changed' | 'unchanged' | 'failed';

/**
 * How long to wait before the next poll: short while the batch changes, longer while it does not, longest while the server
 * cannot be reached.
 *
 * @param before the wait before this poll; 0 for the first
 * @param retryAfterSeconds what the server asked for; null if it asked for nothing
 */
export function nextWait(before: number, result: PollResult, retryAfterSeconds: number | null): number {
  const longest = result === 'failed' ? LONGEST_FAILED_MS : LONGEST_MS;
  const wait = result === 'changed' || before === 0 ? FIRST_MS : Math.min(longest, before * GROWTH);
  return Math.max(wait, (retryAfterSeconds ?? 0) * 1_000);
}
