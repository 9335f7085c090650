import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { hostOf, parseUrl } from '../base/index.js';
import { InvalidValue } from './kinds.js';

/** A name as the system resolves it: labels of letters, digits, `-` and `_`, the last of them not a number. */
const HOST_NAME =
  /^(?!(?:.*\.)?\d+\.?$)[a-z\d_](?:[\w-]{0,61}[a-z\d_])?(?:\.[a-z\d_](?:[\w-]{0,61}[a-z\d_])?)*\.?$/i;
const HOST_NAME_CHARACTERS_MAX = 253;

/** Throws InvalidValue unless a server could listen on it: an IP address, or a host name. */
export function checkAddress(value: string): void {
  if (isIP(value) !== 0 || (value.length <= HOST_NAME_CHARACTERS_MAX && HOST_NAME.test(value))) return;
  throw new InvalidValue(
    `must be an IP address or a host name, such as 127.0.0.1, ::1 or localhost, without brackets, a port or spaces, not ${JSON.stringify(value.slice(0, HOST_NAME_CHARACTERS_MAX))}.`,
  );
}

/** No port, no user, no pattern; an IPv6 address has its brackets. The parser of URLs removes some spaces and invisible characters. */
const BARE_HOST = /^(\[[^\]\s\p{C}]*\]|[^:@*\s\p{C}]+)$/u;

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

/**
 * An IP address or a network such as `10.0.0.0/8`. Throws InvalidValue, also for IPv4 in IPv6 form: such a connection
 * counts as IPv4, and the entry would never match.
 */
export function readNetwork(entry: string): string {
  const [address = '', ...prefix] = entry.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  const isNetwork = prefix.length === 0 || (/^\d{1,3}$/.test(prefix.join('/')) && Number(prefix[0]) <= bits);
  if (isIP(address) === 0 || address.includes('%') || !isNetwork) {
    throw new InvalidValue(
      `has the entry "${entry}", which is not an IP address or a network such as 10.0.0.0/8.`,
    );
  }
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) {
    throw new InvalidValue(
      `has the entry "${entry}", which is IPv4 in IPv6 form. Write it as IPv4, such as 10.0.0.0/8.`,
    );
  }
  return entry;
}

/** `http` or `https`, a host without a pattern, and perhaps a port. */
const ORIGIN = /^https?:\/\/[^/?#@*\\\s\p{C}]+$/iu;

/** An origin in the one spelling that browsers send: `https://app.example.com`. Throws InvalidValue. */
export function readOrigin(entry: string): string {
  const url = ORIGIN.test(entry) ? parseUrl(entry) : null;
  if (url !== null) return url.origin;
  throw new InvalidValue(
    `has the entry "${entry}", which is not an origin such as https://app.example.com: a scheme, a host and no path.`,
  );
}
