import { test } from 'tap';
import { readAllowedHosts } from '../../../src/batch/index.js';
import { loadSettings } from '../../../src/settings/index.js';

const VARIABLE = 'DECIDER_WEBHOOK_ALLOWED_HOSTS';

test('allowed hosts are read into one spelling each', async (t) => {
  t.strictSame([...readAllowedHosts('')], []);
  t.strictSame([...readAllowedHosts(' , ')], []);
  const text = 'Hooks.Corp, hooks.corp.,bücher.lan ,10.1,[FD00:0::1],localhost';
  t.strictSame(
    [...readAllowedHosts(text)],
    ['hooks.corp', 'xn--bcher-kva.lan', '10.0.0.1', 'fd00::1', 'localhost'],
  );
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
  test(`${entry} is no host to allow`, async (t) => {
    const expected = { name: 'SettingsError', message: `webhook.allowed_hosts: "${entry}"` };
    t.throws(() => readAllowedHosts(`good.corp,${entry}`), expected);
    t.throws(() => loadSettings({ [VARIABLE]: entry }, undefined), expected);
  });
}

test('by default no host is allowed', async (t) => {
  t.equal(loadSettings({}, undefined)['webhook.allowed_hosts'], '');
  t.equal(loadSettings({ [VARIABLE]: 'a.corp,b.corp' }, undefined)['webhook.allowed_hosts'], 'a.corp,b.corp');
});
