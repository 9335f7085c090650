import { SettingsError } from '../../base/index.js';
import { hostOf, parseUrl } from './host.js';

/** No port, no user, no pattern; an IPv6 address has its brackets. */
const BARE_HOST = /^(\[[^\]]*\]|[^:@*]+)$/;

/**
 * Reads the hosts that may be private, names or addresses separated by commas, into the spelling that `hostOf` gives
 * them. Throws SettingsError.
 */
export function readAllowedHosts(text: string): ReadonlySet<string> {
  const entries = text.split(',').map((entry) => entry.trim());
  return new Set(entries.filter((entry) => entry !== '').map(readHost));
}

function readHost(entry: string): string {
  const url = BARE_HOST.test(entry) ? parseUrl(`https://${entry}/`) : null;
  if (url === null || url.href !== `https://${url.hostname}/`) {
    throw new SettingsError(`webhook.allowed_hosts: "${entry}" is not a host.`);
  }
  return hostOf(url);
}
