import { isIP } from 'node:net';

/**
 * Domains that do not exist in the public internet, so that names in them belong to a private network: RFC 6761, 6762
 * (with appendix G), 7686, 8375 and 9476, and `localdomain`, which is common practice.
 */
const PRIVATE_DOMAINS = [
  'alt',
  'corp',
  'example',
  'home',
  'home.arpa',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'test',
];

/** Whether a host is an IP address. */
export const isAddress = (host: string): boolean => isIP(host) !== 0;

/** Whether a host name cannot be public: it has one label, an empty label, or a private domain. */
export function isPrivateName(name: string): boolean {
  const labels = name.split('.');
  if (labels.length < 2 || labels.includes('')) return true;
  return PRIVATE_DOMAINS.some((domain) => name === domain || name.endsWith(`.${domain}`));
}
