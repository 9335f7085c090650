import { ApiError, LIMITS } from '../../api/index.js';
import { parseUrl } from '../../base/index.js';

/** The error for a refused address (contract 7.1). `rule` completes the sentence "the address must …". */
export const addressError = (rule: string): ApiError =>
  new ApiError('invalid_webhook_url', `\`Service-Webhook-Url\`: the address must ${rule}.`);

/** The URL parser also accepts `https:host`, `https:\\host` and leading blanks. Other readers may not. */
const HTTPS = /^https:\/\/[^/\\]/i;

/**
 * Parses a webhook address and checks everything but its host (contract 6 rule 5). It is parsed only here, so that no
 * second parser can find another host in the same string. Throws ApiError.
 */
export function readWebhookAddress(text: string): URL {
  const limit = LIMITS.webhookAddressCodePoints;
  // A code point has at most two code units: longer strings need not be counted.
  if (text.length > 2 * limit || [...text].length > limit) {
    throw addressError(`have at most ${limit.toLocaleString('en')} characters`);
  }
  const url = parseUrl(text);
  if (url === null) throw addressError('be a URL');
  if (!HTTPS.test(text)) throw addressError('begin with https:// and a host');
  if (url.username !== '' || url.password !== '') throw addressError('contain no user name and no password');
  if (text.includes('#')) throw addressError('contain no # fragment');
  return url;
}
