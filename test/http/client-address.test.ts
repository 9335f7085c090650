import { test } from 'tap';
import { isLoopbackNetwork, TrustedProxies } from '../../src/http/client-address.js';
import { request } from '../support/http/raw-client.js';
import { onBoth, serve } from '../support/http/serving.js';

const client = (trusted: readonly string[], peer: string, ...forwarded: readonly string[]) =>
  new TrustedProxies(trusted).clientOf({
    peer,
    headers: forwarded.map((value) => ['x-forwarded-for', value] as const),
  });

test('the client is the last address of the path that is not a trusted proxy', async (t) => {
  const proxies = ['10.0.0.0/8', '127.0.0.1', 'fd00::/8'];
  t.equal(client(proxies, '192.0.2.1'), '192.0.2.1', 'no proxy');
  t.equal(client(proxies, '192.0.2.1', '198.51.100.7'), '192.0.2.1', 'not a trusted one');
  t.equal(client(proxies, '127.0.0.1', '198.51.100.7'), '198.51.100.7');
  t.equal(client(proxies, '127.0.0.1', '203.0.113.9, 198.51.100.7, 10.1.2.3'), '198.51.100.7', 'two proxies');
  t.equal(client(proxies, '127.0.0.1', '203.0.113.9', '198.51.100.7'), '198.51.100.7', 'a field twice');
  t.equal(client(proxies, '127.0.0.1', '10.9.9.9, 10.1.2.3'), '10.9.9.9', 'only proxies');
  t.equal(client(proxies, '127.0.0.1'), '127.0.0.1', 'no field');
  t.equal(client([], '127.0.0.1', '198.51.100.7'), '127.0.0.1', 'none is trusted');
  t.equal(client(proxies, ''), '-', 'the connection is gone');
});

test('forms of an address', async (t) => {
  const from = (forwarded: string) => client(['127.0.0.1'], '127.0.0.1', forwarded);
  t.equal(from('198.51.100.7:4711'), '198.51.100.7');
  t.equal(from('[2001:db8::1]:4711'), '2001:db8::1');
  t.equal(from('[2001:db8::1]'), '2001:db8::1');
  t.equal(from('2001:0DB8:0:0::1'), '2001:db8::1');
  t.equal(from('::ffff:198.51.100.7'), '198.51.100.7');
  t.equal(from('fe80::1%secret'), 'fe80::1', 'text behind an address is not shown');
  for (const noise of ['unknown', '', 'localhost', '1', '0x7f.1', '198.51.100.7, ', '_x', '1.2.3.4 5']) {
    t.equal(from(noise), '127.0.0.1', noise);
  }
  t.equal(client(['127.0.0.1'], '::ffff:127.0.0.1', '198.51.100.7'), '198.51.100.7', 'an IPv6 socket');
});

test('a network of loopback has no address of another machine', async (t) => {
  const own = ['127.0.0.1', '127.9.9.9', '127.0.0.0/8', '127.0.0.1/32', '::1', '::1/128', '0:0:0:0:0:0:0:1'];
  for (const entry of own) t.equal(isLoopbackNetwork(entry), true, entry);
  const others = [
    '126.0.0.0/7',
    '127.0.0.0/7',
    '127.0.0.1/0',
    '10.0.0.1',
    '::/0',
    '::1/127',
    '::',
    'fd00::/8',
  ];
  for (const entry of others) t.equal(isLoopbackNetwork(entry), false, entry);
});

onBoth('the log entry has the address of the client', async (t, transport) => {
  const direct = await serve(t, transport);
  const headers = { 'X-Forwarded-For': '198.51.100.7' };
  await direct.ask(request('GET', '/health', null, headers));
  await direct.logged(1);
  t.match(direct.access, [{ client: '127.0.0.1' }]);
  const behind = await serve(t, transport, undefined, { trustedProxies: ['127.0.0.0/8'] });
  await behind.ask(request('GET', '/health', null, headers));
  await behind.logged(1);
  t.match(behind.access, [{ client: '198.51.100.7' }]);
});
