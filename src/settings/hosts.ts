import { hostOf, parseUrl } from '../base/index.js';
import { InvalidValue } from './kinds.js';

/** No port, no user, no pattern; an IPv6 address has its brackets. */
const BARE_HOST = /^(\[[^\]]*\]|[^:@*]+)$/;

/** A host name or an IP address in the one spelling that `hostOf` gives. Throws InvalidValue. */
export function readHost(entry: string): string {
  const url = BARE_HOST.test(entry) ? parseUrl(`https://${entry}/`) : null;
  if (url === null || url.href !== `https://${url.hostname}/`) {
    throw new InvalidValue(
      `has the entry "${entry}", which is not a host name or an IP address (an IPv6 address in brackets, no port).`,
    );
  }
  return hostOf(url);
}
