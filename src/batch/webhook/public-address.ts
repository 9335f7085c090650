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
  if (address.kind() === 'ipv4') return true;
  return address.match(GLOBAL_UNICAST) && !isIsatap(address.toByteArray());
}

/** RFC 5214, 6.1: 0000:5efe or 0200:5efe in the middle, and an IPv4 address behind. */
function isIsatap(bytes: readonly number[]): boolean {
  return (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}
