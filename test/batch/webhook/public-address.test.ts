import ipaddr from 'ipaddr.js';
import { test } from 'tap';
import { isPublicAddress } from '../../../src/batch/webhook/guard.js';

/** The IANA IPv4 and IPv6 Special-Purpose Address Registries, and the multicast registries, in their order. */
const REGISTRIES = [
  '0.0.0.0/8',
  '0.0.0.0/32',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.0.0/29',
  '192.0.0.8/32',
  '192.0.0.9/32',
  '192.0.0.10/32',
  '192.0.0.170/32',
  '192.0.0.171/32',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
  '::1/128',
  '::/128',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001::/32',
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
] as const;

/** The ends of a range, one further address in it, and those before and after it. */
function addressesOf(range: string) {
  const [network, bits] = ipaddr.parseCIDR(range);
  const bytes = network.toByteArray();
  const size = 8 * bytes.length;
  const first = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  const last = first + (1n << BigInt(size - bits)) - 1n;
  const show = (value: bigint) => {
    const hex = value.toString(16).padStart(size / 4, '0');
    return ipaddr.fromByteArray([...Buffer.from(hex, 'hex')]).toString();
  };
  const inside = [first, (first + last) / 2n, last].map(show);
  const outside = [first - 1n, last + 1n]
    .filter((value) => value >= 0n && value < 1n << BigInt(size))
    .map(show);
  return { inside, outside };
}

const isSpecial = (text: string) =>
  REGISTRIES.some((range) => {
    const [address, [network, bits]] = [ipaddr.parse(text), ipaddr.parseCIDR(range)];
    return address.kind() === network.kind() && address.match(network as never, bits);
  });

test('no address of a special range of IANA is public, and its IPv4 neighbours are', async (t) => {
  for (const range of REGISTRIES) {
    const { inside, outside } = addressesOf(range);
    for (const address of inside) t.equal(isPublicAddress(address), false, `${address} of ${range}`);
    if (range.includes(':')) continue;
    for (const address of outside.filter((each) => !isSpecial(each))) {
      t.equal(isPublicAddress(address), true, `${address} beside ${range}`);
    }
  }
});

test('no IPv6 form of an IPv4 address is public, whatever the address', async (t) => {
  for (const [high, low] of [
    ['808', '808'],
    ['7f00', '1'],
    ['a83f', '8110'],
    ['a9fe', 'a9fe'],
  ] as const) {
    for (const address of [
      `::ffff:${high}:${low}`,
      `::ffff:0:${high}:${low}`,
      `::${high}:${low}`,
      `64:ff9b::${high}:${low}`,
      `64:ff9b:1::${high}:${low}`,
      `2002:${high}:${low}::1`,
      `2001:0:${high}:${low}::1`,
      `2001::ffff:${high}:${low}`,
      `2606:4700::5efe:${high}:${low}`,
      `2606:4700::200:5efe:${high}:${low}`,
    ]) {
      t.equal(isPublicAddress(address), false, address);
    }
  }
});
