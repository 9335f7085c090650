import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { OperatorError } from '../../src/base/index.js';
import { ModelError, readManifest } from '../../src/engine/index.js';
import { startServer } from '../../src/server/index.js';
import { listSettings, loadSettings, SETTINGS } from '../../src/settings/index.js';
import { dataFolder, modelsFolder, testDependencies } from '../support/server.js';

/** Of every JSON type, and the edges of numbers and texts. */
const VALUES = [
  null,
  true,
  -1,
  0,
  1.5,
  1e300,
  2 ** 53,
  '',
  'x',
  'a\u0000b',
  '-1',
  '1e3',
  [],
  ['x'],
  {},
  { a: 1 },
];

/** The error a value causes; null if it is accepted. */
async function told(read: () => unknown): Promise<{ name: string; message: string } | null> {
  try {
    await read();
    return null;
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message };
  }
}

test('bad settings: every value of every key is accepted, or refused in one line that names the key', async (t) => {
  const file = join(t.testdir({}), 'decider.json');
  for (const { key, variable, setting } of listSettings(SETTINGS)) {
    let refused = 0;
    for (const value of VALUES) {
      writeFileSync(file, JSON.stringify({ [key]: value }));
      for (const [environment, config, name] of [
        [{}, file, key],
        [{ [variable]: String(value) }, undefined, variable],
      ] as const) {
        const fault = await told(() => loadSettings(environment, config));
        if (fault === null) continue;
        refused += 1;
        t.equal(fault.name, 'SettingsError');
        t.ok(fault.message.includes(name) || fault.message.includes(key), fault.message);
        t.notMatch(fault.message, /\n/);
      }
    }
    // Any string may be valid until it is used.
    t.ok(refused >= (['string', 'list'].includes(setting.kind) ? 9 : 12), `${key}: ${refused} refused`);
  }
});

/** Every place in a value, and a copy of the value with another there. */
function* places(value: unknown, path: string[] = []): Generator<string[]> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, entry] of Object.entries(value)) yield* places(entry, [...path, name]);
}

function replaced(value: unknown, [name, ...path]: string[], by: unknown): unknown {
  if (name === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((entry, at) => (String(at) === name ? replaced(entry, path, by) : entry));
  }
  return { ...(value as object), [name]: replaced((value as Record<string, unknown>)[name], path, by) };
}

const FILE = { file: 'tiny.gguf', sha256: '0'.repeat(64) };
const MODEL = {
  id: 'tiny',
  description: 'A tiny model.',
  release_date: '2026-01-01',
  builds: [{ date: '20260101', ...FILE, projector: FILE }],
  answers_for: ['other'],
  profile: 'letters',
  temperatures: { choice: 1 },
  context_length: 8_192,
  reads_images: true,
  price_class: 'decider-g-12b',
  random_weights: true,
};
const MANIFEST = { default: 'tiny', models: [MODEL] };

test('bad settings: every value of every field of a manifest is accepted, or refused in one line that names the field', async (t) => {
  const folder = t.testdir({});
  const read = (manifest: unknown) => {
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    return told(() => readManifest(folder));
  };
  t.equal(await read(MANIFEST), null);
  for (const path of places(MANIFEST)) {
    let refused = 0;
    for (const value of VALUES) {
      const fault = await read(replaced(MANIFEST, path, value));
      if (fault === null) continue;
      refused += 1;
      t.equal(fault.name, ModelError.name);
      t.notMatch(fault.message, /\n|schema is false/);
      // Behind the names of a model's builds and of the model itself stand rules of several fields.
      const named = path.slice(0, -1).join('.') || 'manifest';
      t.ok(
        /given twice|default names|reads/.test(fault.message) || fault.message.includes(named),
        fault.message,
      );
    }
    t.ok(refused >= 9, `${path.join('.')}: ${refused} refused`);
  }
  t.match(
    (await read({ ...MANIFEST, foo: 1 }))?.message,
    /manifest\.json, line 1, column \d+: foo is not a known key$/,
  );
});

/** Without it addresses beyond loopback are refused. */
const PLAIN = { DECIDER_HTTP_ALLOW_PLAIN: 'yes' };

/** What only a start finds. */
const AT_START: ReadonlyArray<readonly [environment: Record<string, string>, names: RegExp]> = [
  [{ ...PLAIN, DECIDER_HOST: '192.0.2.1' }, /^host, port: cannot listen on 192\.0\.2\.1:0/],
  [
    { ...PLAIN, DECIDER_HOST: '192.0.2.1', DECIDER_HTTP_TRANSPORT: 'node' },
    /^host, port: cannot listen on 192\.0\.2\.1:0/,
  ],
  [{ DECIDER_HOST: '192.0.2.1' }, /^host: 192\.0\.2\.1 is reachable by other machines/],
  [
    { ...PLAIN, DECIDER_OPERATOR_HOST: '192.0.2.1', DECIDER_OPERATOR_PORT: '9' },
    /^operator\.host, operator\.port: cannot/,
  ],
  [
    { DECIDER_OPERATOR_HOST: '192.0.2.1', DECIDER_OPERATOR_PORT: '9' },
    /^operator\.host: 192\.0\.2\.1 is reachable by other machines/,
  ],
  [
    { DECIDER_OPERATOR_PORT: '9', DECIDER_OPERATOR_TOKEN: 'short' },
    /^DECIDER_OPERATOR_TOKEN must be 32 to 256/,
  ],
  [
    {
      ...PLAIN,
      DECIDER_GATEWAY_HOST: '192.0.2.1',
      DECIDER_GATEWAY_PORT: '9',
      DECIDER_GATEWAY_MODEL: 'tiny',
    },
    /^gateway\.host, gateway\.port: cannot/,
  ],
  [
    { DECIDER_GATEWAY_PORT: '9', DECIDER_GATEWAY_MODEL: 'zzz' },
    /^gateway\.model is "zzz", which is not a model/,
  ],
  [{ DECIDER_ENGINE_DEVICES: 'zzz' }, /^engine\.devices: no GPU is named "zzz"/],
  [{ DECIDER_DATA: '/dev/null/x' }, /^The data folder \/dev\/null\/x cannot be used/],
  [{ DECIDER_MASTER_KEY: 'zz' }, /^DECIDER_MASTER_KEY must be 64 hexadecimal digits/],
  [{ DECIDER_BILLING_PRICES: 'other=1/1' }, /^billing\.prices has no price class/],
];

/** One line, as the command prints it, and nothing is left running: otherwise this process would not end. */
async function refused(t: Test, environment: Record<string, string>, names: RegExp): Promise<void> {
  const start = async () => {
    const settings = loadSettings(
      { DECIDER_PORT: '0', DECIDER_DATA: dataFolder(t), DECIDER_ENGINE_BACKEND: 'cpu', ...environment },
      undefined,
    );
    await startServer(settings, testDependencies().dependencies);
  };
  const error: Error = await start().then(
    () => new Error('it was not refused'),
    (refusal) => refusal,
  );
  t.ok(error instanceof OperatorError, error.name);
  t.match(error.message, names);
  t.notMatch(error.message, /\n/);
}

for (const [environment, names] of AT_START) {
  test(`bad settings: a start with ${JSON.stringify(environment)} is refused with one line`, async (t) => {
    const models = modelsFolder(t.testdir());
    await refused(t, { DECIDER_MODELS: models, DECIDER_ENGINE_MEMORY_CHECK: 'false', ...environment }, names);
  });
}

test('bad settings: files that no file system has are one line', async (t) => {
  for (const file of ['x\u0000y', 'a'.repeat(300), '../'.repeat(2_000)]) {
    const models = join(t.testdir({}), 'models');
    mkdirSync(models);
    const model = { ...MODEL, reads_images: false, builds: [{ date: '20260101', ...FILE, file }] };
    writeFileSync(join(models, 'manifest.json'), JSON.stringify({ ...MANIFEST, models: [model] }));
    await refused(t, { DECIDER_MODELS: models }, /null bytes|ENAMETOOLONG|no such file|not a regular file/);
  }
});
