import { ApiError, LIMITS } from '../../api/index.js';
import { parseUrl } from '../../base/index.js';

/** The error of every address that is refused (contract 7.1). `rule` continues "the address must …". */
export const addressError = (rule: string): ApiError =>
  new ApiError('invalid_webhook_url', `\`Service-Webhook-Url\`: the address must ${rule}.`);

/** The parser would also take `https:host`, `https:\\host` or blanks before it; a reader may not. */
const HTTPS = /^https:\/\/[^/\\]/i;

/**
 * Reads a webhook address and checks everything but its host (contract 6 rule 5). Reading it once, here, leaves no
 * second reader that could take another host from the same text. Throws ApiError.
 */
export function readWebhookAddress(text: string): URL {
  const limit = LIMITS.webhookAddressCodePoints;
  // A code point has at most two code units: what is longer than this need not be counted.
  if (text.length > 2 * limit || [...text].length > limit) {
    throw addressError(`have at most ${limit.toLocaleString('en')} characters`);
  }
  const url = parseUrl(text);
  if (url === null) throw addressError('be a URL');
  if (!HTTPS.test(text)) throw addressError('begin with https:// and a host');
  if (url.username !== '' || url.password !== '') throw addressError('hold no user name and no password');
  if (text.includes('#')) throw addressError('hold no # fragment');
  return url;
}
