import { isLoopback } from '../http/index.js';
import type { Settings } from '../settings/index.js';
import { StartError } from './dependencies.js';

/**
 * Whether tokens and requests to an address cross the network unencrypted: beyond loopback, without TLS and without a
 * proxy in front. Throws StartError if `http.allow_plain` does not allow it.
 */
export function isExposed(host: string, { http, tls }: Pick<Settings, 'http' | 'tls'>): boolean {
  if (isLoopback(host) || tls.cert !== '' || http.trusted_proxies.length > 0) return false;
  if (http.allow_plain) return true;
  throw new StartError(
    `${host} is reachable by other machines, and tokens would cross the network unencrypted. Set tls.cert and tls.key, name the proxy in front in http.trusted_proxies, or set http.allow_plain.`,
  );
}
