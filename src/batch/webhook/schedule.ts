import { LIMITS } from '../../api/index.js';

/** How long to wait after so many failed attempts, in milliseconds. */
const WAITS_MS = [0, 30_000, 300_000];
/** A wait is longer or shorter by up to this part, so that calls that failed together do not come back together. */
const JITTER = 0.2;
/** The longest of them, in milliseconds. */
export const WEBHOOK_WAIT_MS_MAX = Math.max(...WAITS_MS) * (1 + JITTER);

/**
 * How long to wait before the next attempt at a webhook, in milliseconds, when `attempts` have failed; null when there
 * is to be none (contract 6 rules 3 and 4). Computed from the stored number alone, so that a restart changes nothing.
 * `random` is drawn from 0 ≤ x < 1.
 */
export function webhookWaitMs(attempts: number, random: () => number): number | null {
  if (attempts >= LIMITS.webhookAttempts) return null;
  const wait = WAITS_MS[attempts] as number;
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random()));
}
