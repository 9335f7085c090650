import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The global unicast IPv6 addresses that IANA assigns. All others are special or unassigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address, as DNS or the URL parser writes it, is an ordinary public address: neither special (RFC 6890) nor
 * one that embeds an IPv4 address, which this check would not see (contract 6 rule 5). False for strings that are no
 * address, and for addresses with a zone id.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return true;
  return address.match(GLOBAL_UNICAST) && !isIsatap(address.toByteArray());
}

/** RFC 5214, 6.1: an interface identifier of 0000:5efe or 0200:5efe followed by an IPv4 address. */
function isIsatap(bytes: readonly number[]): boolean {
  return (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}
