import { test } from 'tap';
import { readHost } from '../../src/settings/hosts.js';
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
