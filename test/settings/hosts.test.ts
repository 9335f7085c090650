import { test } from 'tap';
import { checkAddress, readHost, readNetwork, readOrigin } from '../../src/settings/hosts.js';
import { loadSettings } from '../../src/settings/index.js';

const VARIABLE = 'DECIDER_WEBHOOK_ALLOWED_HOSTS';
const hostsOf = (value: string) => loadSettings({ [VARIABLE]: value }, undefined).webhook.allowed_hosts;

test('allowed hosts are read into one spelling each', async (t) => {
  t.strictSame(hostsOf(''), []);
  t.strictSame(hostsOf(' , '), []);
  t.strictSame(hostsOf('Hooks.Corp, hooks.corp.,bücher.lan ,10.1,[FD00:0::1],localhost'), [
    'hooks.corp',
    'xn--bcher-kva.lan',
    '10.0.0.1',
    'fd00::1',
    'localhost',
  ]);
});

for (const entry of [
  'https://hooks.corp',
  'hooks.corp:443',
  'hooks.corp/',
  'hooks.corp?',
  'hooks.corp#',
  'a@hooks.corp',
  '@hooks.corp',
  'hooks corp',
  '10.0.0.0/8',
  '*.corp',
  'fd00::1',
  '[fd00::1',
  '256.1.1.1',
]) {
  test(`${entry} is not a host to allow`, async (t) => {
    t.throws(() => readHost(entry));
    t.throws(() => hostsOf(`good.corp,${entry}`), {
      name: 'SettingsError',
      message: `${VARIABLE} has the entry "${entry}", which is not a host name or an IP address (an IPv6 address in brackets, no port).`,
    });
  });
}

test('by default no host is allowed', async (t) => {
  t.strictSame(loadSettings({}, undefined).webhook.allowed_hosts, []);
});

test('trusted proxies are addresses and networks', async (t) => {
  const entries = ['10.0.0.0/8', '127.0.0.1', '192.0.2.0/32', '::1', 'fd00::/8', '2001:db8::/128'];
  for (const entry of entries) t.equal(readNetwork(entry), entry);
  const proxies = loadSettings({ DECIDER_HTTP_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }, undefined);
  t.strictSame(proxies.http.trusted_proxies, ['10.0.0.0/8', '::1']);
  for (const entry of [
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '/8',
    'proxy',
    '10.1',
    'fe80::1%eth0',
    '[::1]',
  ]) {
    t.throws(() => readNetwork(entry), {
      message: `has the entry "${entry}", which is not an IP address or a network such as 10.0.0.0/8.`,
    });
  }
  for (const entry of ['::ffff:10.0.0.0/104', '::ffff:10.0.0.1', '::FFFF:0:0/96', '0:0:0:0:0:ffff:a00:1']) {
    t.throws(() => readNetwork(entry), {
      message: `has the entry "${entry}", which is IPv4 in IPv6 form. Write it as IPv4, such as 10.0.0.0/8.`,
    });
  }
  for (const entry of ['::/0', '::/64', '::fffe:10.0.0.1']) t.equal(readNetwork(entry), entry);
});

test('invisible characters and spaces do not join names', async (t) => {
  const controls = Array.from({ length: 33 }, (_, code) => String.fromCharCode(code));
  for (const character of [
    ...controls,
    '\u007f',
    '\u0085',
    '\u00ad',
    '\u00a0',
    '\u200b',
    '\u2028',
    '\ufeff',
  ]) {
    for (const entry of [`a${character}b`, `${character}a`, `a${character}`, `[::${character}1]`]) {
      t.throws(() => readHost(entry), { message: /^has the entry/ }, encodeURIComponent(entry));
      t.throws(
        () => readOrigin(`https://${entry}`),
        { message: /^has the entry/ },
        encodeURIComponent(entry),
      );
    }
  }
});

test('a server listens on an IP address or a host name', async (t) => {
  const good = [
    '127.0.0.1',
    '0.0.0.0',
    '::',
    '::1',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
    'localhost',
    'LocalHost',
  ];
  const numbered = ['db-1', 'node-01', 'ip-10-0-0-1', 'a.b-1', 'db-1.', '1-2', 'decider-0.decider'];
  for (const host of [
    ...good,
    ...numbered,
    'db1',
    '1a',
    'a.b-c.example',
    'a_b.lan',
    'host.',
    `${'a'.repeat(63)}.b`,
  ])
    t.doesNotThrow(() => checkAddress(host), host);
  const bad = [
    '[::1]',
    ' ',
    '256.1.1.1',
    '127.0.0.1 ',
    ' ::1',
    'a\u0000b',
    'a\nb',
    '127.0.0.1:80',
    'http://a',
    'a/b',
  ];
  const forms = [
    '1.2.3',
    '127.1',
    '0',
    'a..b',
    '.a',
    '-a',
    'a-',
    'a.1',
    'a-1.2',
    'a.1.',
    'a@b',
    '*',
    '',
    `${'a'.repeat(64)}`,
  ];
  for (const host of [...bad, ...forms, 'é', 'a '.repeat(200)])
    t.throws(
      () => checkAddress(host),
      { message: /^must be an IP address or a host name/ },
      JSON.stringify(host),
    );
  for (const variable of ['DECIDER_HOST', 'DECIDER_GATEWAY_HOST', 'DECIDER_OPERATOR_HOST']) {
    t.throws(() => loadSettings({ [variable]: '[::1]' }, undefined), {
      name: 'SettingsError',
      message: `${variable} must be an IP address or a host name, such as 127.0.0.1, ::1 or localhost, without brackets, a port or spaces, not "[::1]".`,
    });
  }
});
