import type { LookupFunction } from 'node:net';
import { isIPv6 } from 'node:net';
import { LIMITS } from '../../api/index.js';
import { type Clock, hostOf } from '../../base/index.js';
import { addressError, readWebhookAddress } from './address.js';
import { isAddress, isPrivateName } from './host.js';
import { isPublicAddress } from './public-address.js';

/** Where a webhook may lead, and the network it is found in. */
export interface WebhookGuard {
  /**
   * All IP addresses of a host name, as texts; rejects or answers none where it has none. Nobody waits any more when the
   * signal aborts.
   */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Hosts that may be private, as the operator has named them: lower case, punycode, no final dot. */
  readonly allowedHosts: ReadonlySet<string>;
  readonly clock: Clock;
  /** The certificate authorities to trust, as PEM, in place of those that come with Node. */
  readonly authorities?: string;
}

/** One sentence for a name that is not found and for one that is private: a caller learns nothing of our DNS. */
const NOT_PUBLIC = 'name a host that resolves, and only to public internet addresses';

/** Checks what the host itself shows, before any DNS: literal addresses and names of private networks. Throws ApiError. */
export function checkHost(host: string, guard: WebhookGuard): void {
  if (guard.allowedHosts.has(host)) return;
  if (isAddress(host) ? !isPublicAddress(host) : isPrivateName(host)) throw addressError(NOT_PUBLIC);
}

/**
 * The addresses of a host name, at least one, every one of them public unless the host is allowed by name. One that
 * is not public refuses all: which of them is connected to is not ours to choose. Ends within the time-out of a call.
 * Throws ApiError, the same whatever DNS said.
 */
export async function resolvePublic(host: string, guard: WebhookGuard): Promise<readonly string[]> {
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
      reject(new Error('DNS did not answer in time.'));
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
 * The DNS look-up to connect with: the addresses it hands on are the very ones it has checked, so that a name cannot
 * resolve to one address for the check and to another for the connection.
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
 * Checks a webhook address when a batch is submitted: https, length, no user, password or fragment, and a host that
 * resolves to public addresses only (contract 6 rule 5). Takes as long as DNS, at most the time-out of a call.
 * Throws ApiError `invalid_webhook_url`, which says what is wrong but not what DNS answered.
 */
export async function checkWebhookAddress(address: string, guard: WebhookGuard): Promise<void> {
  const host = hostOf(readWebhookAddress(address));
  checkHost(host, guard);
  if (!isAddress(host)) await resolvePublic(host, guard);
}
