import { readWebhookAddress } from './address.js';
import { checkHost, resolvePublic, type WebhookGuard } from './guard.js';
import { hostOf, isAddress } from './host.js';

/**
 * Checks a webhook address when a batch is submitted: https, length, no user, password or fragment, and a host that
 * resolves to public addresses only (contract 6 rule 5). Takes as long as DNS, at most the time-out of a call.
 * Throws ApiError `invalid_webhook_url`, which says what is wrong but not what DNS answered.
 */
export async function checkWebhookAddress(address: string, guard: WebhookGuard): Promise<void> {
  const host = hostOf(readWebhookAddress(address));
  checkHost(host, guard);
  if (!isAddress(host)) await resolvePublic(host, guard);
}
