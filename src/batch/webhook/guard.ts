import type { LookupFunction } from 'node:net';
import { isIPv6 } from 'node:net';
import { LIMITS } from '../../api/index.js';
import { type Clock, hostOf } from '../../base/index.js';
import { addressError, readWebhookAddress } from './address.js';
import { isAddress, isPrivateName } from './host.js';
import { isPublicAddress } from './public-address.js';

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

/** The same text for unknown and private names, so that callers learn nothing about the internal DNS. */
const NOT_PUBLIC = 'name a host that resolves, and only to public internet addresses';

/** Checks a host without DNS: literal addresses and names of private networks. Throws ApiError. */
export function checkHost(host: string, guard: WebhookGuard): void {
  if (guard.allowedHosts.has(host)) return;
  if (isAddress(host) ? !isPublicAddress(host) : isPrivateName(host)) throw addressError(NOT_PUBLIC);
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
