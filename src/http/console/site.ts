import { isIP } from 'node:net';
import { ApiError } from '../../api/index.js';
import { hostOf, parseUrl } from '../../base/index.js';
import { valuesOf } from '../head.js';
import type { HeaderList } from '../transport/transport-types.js';

/**
 * Refuses a request for a console that another site can cause: one to a host name that is not ours, and one that is made
 * by a page of another site. The first is DNS rebinding: a name of another site that leads to this server, so that their
 * page and ours would share an origin. Addresses and `localhost` cannot be rebound. Links from other sites are followed.
 *
 * @param hosts the other names of this server
 * @param setting the setting of these names, for the message
 * @throws ApiError `host_not_allowed`
 */
export function checkSite(
  headers: HeaderList,
  hosts: readonly string[],
  setting: 'console.hosts' | 'operator.hosts',
): void {
  const [host = ''] = valuesOf(headers, 'host');
  const url = AUTHORITY.test(host) ? parseUrl(`http://${host}/`) : null;
  if (url === null || !isOurs(hostOf(url), hosts)) {
    throw refused(`This host name is not allowed. Use an address, or add the name to ${setting}.`);
  }
  const [origin] = valuesOf(headers, 'origin');
  if (origin !== undefined && !isSameSite(origin, url, hosts)) throw refused(ANOTHER);
  const [site] = valuesOf(headers, 'sec-fetch-site');
  const [mode] = valuesOf(headers, 'sec-fetch-mode');
  const [destination] = valuesOf(headers, 'sec-fetch-dest');
  const follows = mode === 'navigate' && destination === 'document';
  if ((site === 'cross-site' || site === 'same-site') && !follows) throw refused(ANOTHER);
}

/** A host with or without a port, and nothing else that a URL may have. */
const AUTHORITY = /^[\w.:[\]-]+$/;
const ANOTHER = 'The request comes from a page of another site.';

const isOurs = (host: string, hosts: readonly string[]): boolean =>
  isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost') || hosts.includes(host);

/** Behind a proxy, `Host` may be the proxy's own name for this server; then the name of the origin must be known. */
function isSameSite(origin: string, url: URL, hosts: readonly string[]): boolean {
  const from = parseUrl(origin);
  if (from === null) return false;
  return from.host === url.host || hosts.includes(hostOf(from));
}

const refused = (message: string) => new ApiError('host_not_allowed', message);
