import { LIMITS } from '../../api/index.js';
import { hostOf } from '../../base/index.js';
import { checkHost, readWebhookAddress, type WebhookGuard } from './guard.js';
import { post } from './post.js';
import type { WebhookOutcome } from './webhook-outcome.js';

/** The body of a webhook call (contract 2.10). */
export interface FinishedBatch {
  readonly id: string;
  readonly status: 'done' | 'failed' | 'cancelled';
}

/**
 * Makes one webhook call (contract 6 rules 2, 3 and 5). The URL is checked again, and the IP addresses of its host when
 * connecting. `delivered` means a 2xx response within the timeout, which covers everything from DNS to the end of the
 * response header; the body of the response is not read. Follows no redirects, uses no proxy, keeps no connection. Never
 * throws.
 */
export async function callWebhook(
  address: string,
  { id, status }: FinishedBatch,
  guard: WebhookGuard,
): Promise<WebhookOutcome> {
  const ending = new AbortController();
  const cancel = guard.clock.after(LIMITS.webhookTimeoutMs, () => ending.abort());
  try {
    const url = checkedUrl(address, guard);
    return url === null
      ? 'address_not_public'
      : await post(url, JSON.stringify({ id, status }), guard, ending.signal);
  } finally {
    cancel();
  }
}

/** Null: the address, or its host, is not allowed any more. */
function checkedUrl(address: string, guard: WebhookGuard): URL | null {
  try {
    const url = readWebhookAddress(address);
    checkHost(hostOf(url), guard);
    return url;
  } catch {
    return null;
  }
}
