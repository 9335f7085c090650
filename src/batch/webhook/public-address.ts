import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What IANA hands out as global unicast IPv6 addresses: everything else is special or not assigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address, as DNS or the URL parser writes it, is an ordinary address of the public internet: neither
 * special (RFC 6890) nor an envelope of an IPv4 address, which would hide that one from this check (contract 6 rule 5).
 * False for a text that is no address and for one with a zone id.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}
