import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { valuesOf } from './head.js';
import type { Incoming } from './transport/transport-types.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Shown for a connection that is gone. */
const UNKNOWN = '-';

/** The proxies whose `X-Forwarded-For` is trusted. */
export class TrustedProxies {
  readonly #networks: [Address, number][];

  /** @param networks IP addresses and networks in CIDR form, as `http.trusted_proxies` has them */
  constructor(networks: readonly string[]) {
    this.#networks = networks.map(parseNetwork);
  }

  /**
   * The IP address of the client: the last address of the path that is not a trusted proxy. The path is what
   * `X-Forwarded-For` lists, followed by the other end of the connection. Entries before it are the client's own claims.
   */
  clientOf({ peer, headers }: Pick<Incoming, 'peer' | 'headers'>): string {
    let client = parse(peer);
    if (client === null) return UNKNOWN;
    const path = valuesOf(headers, 'x-forwarded-for').join(',').split(',');
    while (ipaddr.subnetMatch(client, { trusted: this.#networks }) === 'trusted') {
      const before = parse(path.pop() ?? '');
      if (before === null) break;
      client = before;
    }
    return client.toString();
  }
}

/** @param entry an IP address or a network in CIDR form */
function parseNetwork(entry: string): [Address, number] {
  if (entry.includes('/')) return ipaddr.parseCIDR(entry);
  const address = ipaddr.parse(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Whether all addresses of an entry of `http.trusted_proxies` are this machine's own: in 127.0.0.0/8, or `::1`. */
export function isLoopbackNetwork(entry: string): boolean {
  const [address, bits] = parseNetwork(entry);
  return address.range() === 'loopback' && bits >= (address.kind() === 'ipv4' ? 8 : 128);
}

/** `[ADDRESS]`, `[ADDRESS]:PORT` or `ADDRESS:PORT`. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|([^:]+):\d+)$/;

/** An address, without its port and its zone; null if it is none. An IPv4 address in IPv6 form is returned as IPv4. */
function parse(entry: string): Address | null {
  const text = entry.trim();
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  const [address = ''] = (bracketed ?? plain ?? text).split('%');
  return isIP(address) === 0 ? null : ipaddr.process(address);
}
