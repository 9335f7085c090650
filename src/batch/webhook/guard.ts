import { isIP, isIPv6, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ApiError, LIMITS } from '../../api/index.js';
import { type Clock, exceedsCodePoints, hostOf, parseUrl, showCount } from '../../base/index.js';

/** The error for a refused address (contract 7.1). `rule` completes the sentence "the address must …". */
const addressError = (rule: string): ApiError =>
  new ApiError('invalid_webhook_url', `\`Service-Webhook-Url\`: the address must ${rule}.`);

/** The URL parser also accepts `https:host`, `https:\\host` and leading blanks. Other readers may not. */
const HTTPS = /^https:\/\/[^/\\]/i;

/**
 * Parses a webhook address and checks everything but its host (contract 6 rule 5). It is parsed only here, so that no
 * second parser can find another host in the same string. Throws ApiError.
 */
export function readWebhookAddress(text: string): URL {
  const limit = LIMITS.webhookAddressCodePoints;
  if (exceedsCodePoints(text, limit)) {
    throw addressError(`have at most ${showCount(limit)} characters`);
  }
  const url = parseUrl(text);
  if (url === null) throw addressError('be a URL');
  if (!HTTPS.test(text)) throw addressError('begin with https:// and a host');
  if (url.username !== '' || url.password !== '') throw addressError('contain no user name and no password');
  if (text.includes('#')) throw addressError('contain no # fragment');
  return url;
}

/** The hosts that webhooks may call, and how they are resolved. */
export interface WebhookGuard {
  /**
   * The IP addresses of a host name. If it has none, rejects or returns an empty list. When the signal aborts, the result
   * is no longer needed.
   */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Hosts that the operator allows to be private: lower case, punycode, no final dot. */
  readonly allowedHosts: ReadonlySet<string>;
  readonly clock: Clock;
  /** Certificate authorities to trust instead of Node's, as PEM. */
  readonly authorities?: string;
}

/** The same text for unknown names and private addresses, so that callers learn nothing about the internal DNS. */
const NOT_PUBLIC =
  'name a host that resolves, and only to public internet addresses, unless the operator lists it in webhook.allowed_hosts';
/** DNS was not asked. */
const NOT_PUBLIC_NAME =
  'name a host with two labels or more, not in a domain that is never public, such as .local or .internal, unless the operator lists it in webhook.allowed_hosts';

/** Checks a host without DNS: literal addresses and names of private networks. Throws ApiError. */
export function checkHost(host: string, guard: WebhookGuard): void {
  if (guard.allowedHosts.has(host)) return;
  if (!isAddress(host) && isPrivateName(host)) throw addressError(NOT_PUBLIC_NAME);
  if (isAddress(host) && !isPublicAddress(host)) throw addressError(NOT_PUBLIC);
}

/**
 * Resolves a host name to at least one address. All must be public unless the host is allowed by name: Node chooses which
 * one to connect to. Ends within the timeout of a call. Throws the same ApiError for every failure.
 */
async function resolvePublic(host: string, guard: WebhookGuard): Promise<readonly string[]> {
  const addresses = await resolveInTime(host, guard).catch(() => []);
  const fits = guard.allowedHosts.has(host) ? isAddress : isPublicAddress;
  if (addresses.length === 0 || !addresses.every(fits)) throw addressError(NOT_PUBLIC);
  return addresses;
}

async function resolveInTime(host: string, guard: WebhookGuard): Promise<readonly string[]> {
  let cancel = () => {};
  const ending = new AbortController();
  const late = new Promise<never>((_, reject) => {
    cancel = guard.clock.after(LIMITS.webhookTimeoutMs, () => {
      reject(new Error('DNS did not answer in time'));
      ending.abort();
    });
  });
  try {
    return await Promise.race([guard.resolve(host, ending.signal), late]);
  } finally {
    cancel();
  }
}

/**
 * The DNS lookup for connecting. It returns the same addresses that it checked, so that a name cannot resolve to one
 * address for the check and to another for the connection.
 */
export function guardedLookup(guard: WebhookGuard): LookupFunction {
  return (host, { all }, callback) => {
    const found = (addresses: readonly string[]) => {
      const entries = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
      const [first] = entries as [(typeof entries)[number]];
      if (all) callback(null, entries);
      else callback(null, first.address, first.family);
    };
    resolvePublic(host, guard).then(found, (error) => callback(error, ''));
  };
}

/**
 * Checks the webhook address of a submission: https, length, no user, password or fragment, and a host that resolves to
 * public addresses only (contract 6 rule 5). Takes as long as DNS, at most the timeout of a call. Throws ApiError
 * `invalid_webhook_url`, whose message does not reveal what DNS answered.
 */
export async function checkWebhookAddress(address: string, guard: WebhookGuard): Promise<void> {
  const host = hostOf(readWebhookAddress(address));
  checkHost(host, guard);
  if (!isAddress(host)) await resolvePublic(host, guard);
}

/** The global unicast IPv6 addresses that IANA assigns. All others are special or unassigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Addresses out of public ranges that clouds route to services of their own network: of Azure, the one that answers for
 * DNS, health and the agent of every machine; of IBM, the services of the network of its machines; of Google, its
 * interfaces as seen from private networks. The other addresses at which clouds have metadata are special ones.
 */
const CLOUD_INTERNAL = [
  '168.63.129.16/32',
  '161.26.0.0/16',
  '166.8.0.0/14',
  '199.36.153.4/30',
  '199.36.153.8/30',
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * Whether an IP address, as DNS or the URL parser writes it, is an ordinary public address: neither special (RFC 6890),
 * nor of the network of a cloud, nor one that embeds an IPv4 address, which this check would not see (contract 6 rule 5). False for strings that are no
 * address, and for addresses with a zone id.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return !CLOUD_INTERNAL.some((range) => address.match(range));
  return address.match(GLOBAL_UNICAST) && !isIsatap(address.toByteArray());
}

/** RFC 5214, 6.1: an interface identifier of 0000:5efe or 0200:5efe followed by an IPv4 address. */
function isIsatap(bytes: readonly number[]): boolean {
  return (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

/**
 * Domains that do not exist in the public internet, so that names in them belong to a private network: RFC 6761, 6762
 * (with appendix G), 7686, 8375 and 9476, and `localdomain`, which is common practice.
 */
export const PRIVATE_DOMAINS = [
  'alt',
  'corp',
  'example',
  'home',
  'home.arpa',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'test',
];

/** Whether a host is an IP address. */
export const isAddress = (host: string): boolean => isIP(host) !== 0;

/** Whether a host name cannot be public: it has one label, an empty label, or a private domain. */
function isPrivateName(name: string): boolean {
  const labels = name.split('.');
  if (labels.length < 2 || labels.includes('')) return true;
  return PRIVATE_DOMAINS.some((domain) => name === domain || name.endsWith(`.${domain}`));
}
