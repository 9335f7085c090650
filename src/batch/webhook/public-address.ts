import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

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
