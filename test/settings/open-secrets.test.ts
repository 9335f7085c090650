import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { openSecrets } from '../../src/settings/index.js';

const KEY = 'ab'.repeat(32);
const URL_WITH_PASSWORD = 'postgres://decider:kauri@db.example.com/decider';

test('a configuration file with secrets that all users can access is named, without the secrets', async (t) => {
  const file = join(t.testdir(), 'decider.json');
  const found = (content: object, mode: number) => {
    writeFileSync(file, JSON.stringify(content));
    chmodSync(file, mode);
    return openSecrets({}, file)?.detail ?? null;
  };
  const named = (...keys: string[]) => `${keys.join(', ')}: ${file} is accessible to all users.`;
  for (const mode of [0o644, 0o604, 0o642, 0o641]) {
    t.equal(found({ master_key: KEY }, mode), named('master_key'));
    t.equal(found({ 'operator.token': 'kauri'.repeat(8), port: 0 }, mode), named('operator.token'));
    t.equal(found({ 'operator.token': 'postgres'.repeat(4) }, mode), named('operator.token'));
    t.equal(
      found({ master_key: KEY, store: { url: URL_WITH_PASSWORD } }, mode),
      named('store.url', 'master_key'),
    );
  }
  for (const mode of [0o600, 0o640, 0o400]) t.equal(found({ master_key: KEY }, mode), null);
  const noSecrets = [
    {},
    { port: 8080, data: '/data' },
    { master_key: '' },
    { store: { url: 'postgres://decider@db.example.com:5432/decider?sslmode=verify-full' } },
    { store: { url: 'postgres:///decider?host=/run/postgresql' } },
  ];
  for (const content of noSecrets) t.equal(found(content, 0o644), null, JSON.stringify(content));
  t.equal(
    found({ store: { url: 'postgres://db.example.com/decider?password=kauri' } }, 0o644),
    named('store.url'),
  );
  t.notMatch(openSecrets({}, file), /kauri/);
  t.match(openSecrets({ DECIDER_CONFIG: file }), { remedy: /0600 or 0640/ }, 'named by the variable');
  t.equal(openSecrets({ DECIDER_MASTER_KEY: KEY, DECIDER_CONFIG: '' }), null, 'no file');
});
