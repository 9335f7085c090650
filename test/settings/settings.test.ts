import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { listSettings, loadSettings, SETTINGS, showSettings } from '../../src/settings/index.js';
import { defaultFolders } from '../../src/settings/settings.js';
import { ROOT } from '../support/sources.js';

const KEY = 'ab'.repeat(32);
const TOKEN = 'token-'.repeat(6);

/** Of each setting a value other than the default: as a variable, as JSON, and as the program sees it. */
const VALUES: Readonly<Record<string, readonly [variable: string, json: unknown, value?: unknown]>> = {
  host: ['::1', '::1'],
  port: ['65535', 65_535],
  'gateway.host': ['::1', '::1'],
  'gateway.port': ['65535', 65_535],
  'gateway.model': ['m', 'm'],
  data: ['d', 'd'],
  'store.url': ['postgres://u:secret-3@h/d', 'postgres://u:secret-3@h/d'],
  'store.connections': ['200', 200],
  'store.ca': ['c', 'c'],
  models: ['m', 'm'],
  'tasks.retention_days': ['1', 1],
  'tasks.max_answers': ['1000', 1_000],
  master_key: [KEY, KEY],
  'billing.prices': [
    'a=1/0.5',
    { a: { live: 1, batch: 0.5 } },
    new Map([['a', { live: 1_000_000n, batch: 500_000n }]]),
  ],
  'billing.currency': ['EUR', 'EUR'],
  'batch.enabled': ['no', false],
  'batch.max_stored_bytes': ['1', 1],
  'batch.max_workspace_percent': ['1', 1],
  'batch.data_region': ['EU (Frankfurt)', 'EU (Frankfurt)'],
  'console.enabled': ['no', false],
  'console.hosts': ['Decider.corp', ['decider.corp']],
  'http.transport': ['uws', 'uws'],
  'http.cors_origins': ['https://A.corp:443,http://b.corp:3000', ['https://a.corp', 'http://b.corp:3000']],
  'http.trusted_proxies': ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  'http.allow_plain': ['yes', true],
  'http.keep_alive_s': ['3600', 3_600],
  'http.drain_ms': ['1h', 3_600_000],
  'tls.cert': ['c', 'c'],
  'tls.key': ['k', 'k'],
  'engine.backend': ['vulkan', 'vulkan'],
  'engine.devices': ['CUDA1, CUDA0', ['CUDA1', 'CUDA0']],
  'engine.threads': ['512', 512],
  'engine.exact': ['yes', true],
  'engine.answer_cache_mb': ['128', 128],
  'engine.contexts': ['8', 8],
  'engine.cells': ['1048576', 1_048_576],
  'engine.wave_tokens': ['65536', 65_536],
  'engine.idle_cells': ['1048576', 1_048_576],
  'engine.deadline_ms': ['1h', 3_600_000],
  'engine.sequences': ['255', 255],
  'engine.queue': ['65536', 65_536],
  'engine.memory_check': ['no', false],
  'prepare.threads': ['64', 64],
  'webhook.allowed_hosts': ['A.corp,b.corp', ['a.corp', 'B.corp'], ['a.corp', 'b.corp']],
  'operator.port': ['65535', 65_535],
  'operator.host': ['::1', '::1'],
  'operator.hosts': ['A.corp,b.corp', ['a.corp', 'B.corp'], ['a.corp', 'b.corp']],
  'operator.console': ['no', false],
  'operator.token': [TOKEN, TOKEN],
  'traces.url': ['https://h:4318/v1/traces', 'https://h:4318/v1/traces'],
  'traces.sample': ['1000000', 1_000_000],
  'log.level': ['silent', 'silent'],
  'log.format': ['text', 'text'],
  'log.sample': ['1000000', 1_000_000],
};
const CORES = 1_024;

const nested = (key: string, value: unknown) =>
  key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
const valueAt = (settings: object, key: string) =>
  key.split('.').reduce<unknown>((group, name) => (group as Record<string, unknown>)[name], settings);

test('every setting, as a variable and as JSON, means the same', async (t) => {
  const file = join(t.testdir({}), 'decider.json');
  const settings = listSettings(SETTINGS);
  t.strictSame(new Set(settings.map(({ key }) => key)), new Set(Object.keys(VALUES)));
  for (const { key, variable, setting } of settings) {
    const [written, json, value = json] = VALUES[key] as (typeof VALUES)[string];
    const needed = key === 'store.url' ? { DECIDER_MASTER_KEY: KEY } : {};
    const fromVariable = valueAt(loadSettings({ ...needed, [variable]: written }, undefined, CORES), key);
    writeFileSync(file, JSON.stringify(nested(key, json)));
    t.strictSame(fromVariable, value, variable);
    t.strictSame(valueAt(loadSettings(needed, file, CORES), key), value, key);
    t.notSame(setting.default, value, `${key}: not the default`);
  }
});

test('every default can be written', async (t) => {
  for (const { key, setting } of listSettings(SETTINGS)) {
    if (setting.defaultText === '') t.ok(['', 0].includes((setting.default as string).length), key);
    else t.strictSame(setting.fromText(setting.defaultText), setting.default, key);
  }
});

test('every bound of a number holds: the limit is accepted, one past it is refused', async (t) => {
  let bounds = 0;
  for (const { key, variable, setting } of listSettings(SETTINGS)) {
    const [, min, max] = /, (\d+) to (\d+)/.exec(setting.kind) ?? [];
    if (min === undefined || max === undefined) continue;
    bounds += 1;
    const accepts = (value: number) => {
      t.equal(setting.fromText(String(value)), value, `${key} ${value}`);
      t.equal(setting.fromJson(value), value, `${key} ${value}`);
    };
    const refuses = (value: number) => {
      const expected = { name: 'SettingsError', message: `${variable} must be ` };
      t.throws(() => loadSettings({ [variable]: String(value) }, undefined), expected, `${key} ${value}`);
      t.throws(() => setting.fromJson(value), `${key} ${value}`);
    };
    accepts(Number(min));
    accepts(Number(max));
    refuses(Number(min) - 1);
    refuses(Number(max) + 1);
  }
  t.equal(bounds, 22);
});

test('a wrong value of a string setting is not quoted: it may be secret', async (t) => {
  const file = join(t.testdir({}), 'decider.json');
  writeFileSync(file, JSON.stringify({ host: ['secret'] }));
  t.throws(() => loadSettings({}, file), { message: /host must be a string of 1 to \d+ characters\.$/ });
});

test('a secret of another form is named as it was given, and is not quoted', async (t) => {
  const file = join(t.testdir({}), 'decider.json');
  for (const [name, variable, form, wrong] of [
    [
      'master_key',
      'DECIDER_MASTER_KEY',
      '64 hexadecimal digits',
      ['xyz', KEY.slice(1), `${KEY}0`, `${KEY}\n`, 'g'.repeat(64), ` ${KEY}`],
    ],
    [
      'operator.token',
      'DECIDER_OPERATOR_TOKEN',
      '32 to 256 printable ASCII characters without spaces',
      ['xyz', 'x'.repeat(31), 'x'.repeat(257), `${'x'.repeat(32)} `, 'é'.repeat(40), `${TOKEN}\n`],
    ],
  ] as const) {
    for (const value of wrong) {
      const message = `${variable} must be ${form}.`;
      t.throws(() => loadSettings({ [variable]: value }, undefined), { name: 'SettingsError', message });
    }
    for (const value of [...wrong, 1, null, [wrong[0]]]) {
      writeFileSync(file, JSON.stringify(nested(name, value)));
      const message = new RegExp(`: ${name} must be ${form}\\.$`);
      t.throws(() => loadSettings({}, file), { name: 'SettingsError', message });
    }
  }
  for (const token of ['x'.repeat(32), 'x'.repeat(256)])
    t.equal(loadSettings({ DECIDER_OPERATOR_TOKEN: token }, undefined).operator.token, token);
});

test('store.url requires master_key', async (t) => {
  const url = { DECIDER_STORE_URL: 'postgres://user:secret@host/database' };
  t.throws(() => loadSettings(url, undefined), {
    name: 'SettingsError',
    message: /^store\.url requires master_key: (?!.*secret)/,
  });
  t.equal(loadSettings({ ...url, DECIDER_MASTER_KEY: KEY }, undefined).store.url, url.DECIDER_STORE_URL);
  for (const wrong of ['mysql://user:secret@host/d', 'host', 'postgres:secret', 'postgres:// secret']) {
    t.throws(() => loadSettings({ DECIDER_STORE_URL: wrong }, undefined), {
      name: 'SettingsError',
      message: /^DECIDER_STORE_URL must be a URL such as (?!.*secret)/,
    });
  }
});

test('models: without the setting ./models, or the embedded model where that does not exist', async (t) => {
  const folder = t.testdir({ models: {} });
  t.equal(defaultFolders(folder).models, `${folder}/models`);
  t.equal(defaultFolders(t.testdir({})).models, join(ROOT, 'models'));
  t.equal(defaultFolders(null).models, join(ROOT, 'models'));
});

test('data: without the setting ./data, or an error where there is no folder for it', async (t) => {
  const data = (working: string | null) => loadSettings({}, undefined, CORES, { working, models: 'm' }).data;
  t.equal(data('.'), './data');
  t.equal(data('/var/lib/ops/.local/state/decider'), '/var/lib/ops/.local/state/decider/data');
  t.throws(() => data(null), {
    name: 'SettingsError',
    message: 'data is not set, and this user has no home folder. Set data (DECIDER_DATA).',
  });
  const given = { DECIDER_DATA: '/srv/data' };
  t.equal(loadSettings(given, undefined, CORES, { working: null, models: 'm' }).data, '/srv/data');
});

test('shown settings can be read as a configuration file, and secrets are not among them', async (t) => {
  const variables = Object.fromEntries(
    listSettings(SETTINGS).map(({ key, variable }) => [
      variable,
      (VALUES[key] as (typeof VALUES)[string])[0],
    ]),
  );
  const settings = loadSettings(
    { ...variables, DECIDER_MASTER_KEY: KEY, DECIDER_OPERATOR_TOKEN: TOKEN },
    undefined,
    CORES,
  );
  const shown = showSettings(settings);
  for (const secret of ['secret-3', KEY, TOKEN]) t.notOk(JSON.stringify(shown).includes(secret));
  t.match(shown, { master_key: '(set)', operator: { token: '(set)' }, store: { url: '(set)' } });
  t.match(showSettings(loadSettings({}, undefined)), {
    master_key: '(not set)',
    store: { url: '(not set)' },
  });
  const file = join(t.testdir({}), 'decider.json');
  writeFileSync(file, JSON.stringify(shown));
  const secrets = {
    DECIDER_MASTER_KEY: KEY,
    DECIDER_OPERATOR_TOKEN: TOKEN,
    DECIDER_STORE_URL: 'postgres://u:secret-3@h/d',
  };
  t.strictSame(loadSettings(secrets, file, CORES), settings);
});
