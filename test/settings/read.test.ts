import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { boolean, integer, text } from '../../src/settings/kinds.js';
import { readSettings, SettingsError } from '../../src/settings/read-settings.js';

const TABLE = {
  name: text({ default: 'none', meaning: '' }),
  enabled: boolean({ default: true, meaning: '' }),
  port: integer({ default: 8080, min: 0, max: 65_535, meaning: '' }),
  engine: { exact: boolean({ default: false, meaning: '' }) },
};

const read = (environment: Record<string, string>, file?: string) => readSettings(TABLE, environment, file);

/** A configuration file, rewritten by each call. */
function configuration(t: Test) {
  const file = join(t.testdir({}), 'c.json');
  return (value: unknown) => {
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
    return file;
  };
}

test('contract points: a boolean variable is 1, 0, true, false, yes or no', async (t) => {
  t.equal(read({}).engine.exact, false);
  t.equal(read({}).enabled, true);
  for (const [written, value] of [
    ['1', true],
    ['true', true],
    ['yes', true],
    ['0', false],
    ['false', false],
    ['no', false],
  ] as const) {
    t.equal(read({ DECIDER_ENGINE_EXACT: written }).engine.exact, value, written);
    t.equal(read({ DECIDER_ENABLED: written }).enabled, value, written);
  }
  for (const written of ['YES', 'TRUE', '2', 'on', ' 1', '01']) {
    const message = `DECIDER_ENGINE_EXACT must be true or false, 1 or 0, yes or no, not "${written}".`;
    t.throws(() => read({ DECIDER_ENGINE_EXACT: written }), new SettingsError(message), written);
  }
});

test('contract points: a boolean of the file is a JSON boolean, or its word', async (t) => {
  const write = configuration(t);
  const fromFile = (exact: unknown, environment: Record<string, string> = {}) =>
    read(environment, write({ engine: { exact } })).engine.exact;
  for (const value of [true, 'true']) t.equal(fromFile(value), true, JSON.stringify(value));
  for (const value of [false, 'false']) t.equal(fromFile(value), false, JSON.stringify(value));
  t.equal(fromFile(true, { DECIDER_ENGINE_EXACT: '0' }), false, 'the environment wins');
  for (const [value, shown] of [
    [1, '1'],
    [0, '0'],
    ['1', '"1"'],
    ['yes', '"yes"'],
    [null, 'null'],
    ['', '""'],
    [[], 'an array'],
    [{}, 'an object'],
    ['x'.repeat(100), `"${'x'.repeat(39)}…`],
  ] as const) {
    const message = new RegExp(
      `c\\.json, line 1, column \\d+: engine\\.exact must be true or false, not ${shown}\\.$`,
    );
    t.throws(() => fromFile(value), { name: 'SettingsError', message }, JSON.stringify(value));
  }
});

test('contract points: a variable with an empty value is unset', async (t) => {
  const file = configuration(t)({ name: 'file', port: 1, engine: { exact: true } });
  const empty = { DECIDER_NAME: '', DECIDER_PORT: '', DECIDER_ENGINE_EXACT: '' };
  t.strictSame(read(empty, file), { name: 'file', enabled: true, port: 1, engine: { exact: true } });
  t.strictSame(read(empty), { name: 'none', enabled: true, port: 8080, engine: { exact: false } });
  t.equal(read({ DECIDER_CONFIG: '' }).name, 'none');
  t.equal(read({ DECIDER_CONFIG: file }).name, 'file');
  t.equal(read({ DECIDER_OTHER: '' }).name, 'none', 'also an unknown one');
  t.throws(() => read({ DECIDER_OTHER: 'x' }), /DECIDER_OTHER is not a setting/);
  t.throws(() => read({ DECIDER_ENGIN_EXACT: 'x' }), /Did you mean DECIDER_ENGINE_EXACT\?/);
  t.equal(read({ OTHER: 'x', DECIDER_TOKEN: 'x' }).name, 'none');
});

test('a group is an object, a dotted key names a setting of it', async (t) => {
  const write = configuration(t);
  const fromFile = (value: unknown) => read({}, write(value));
  t.equal(fromFile({ 'engine.exact': true }).engine.exact, true);
  t.equal(fromFile({ engine: {} }).engine.exact, false);
  for (const [value, message] of [
    [
      { engine: { exact: true }, 'engine.exact': true },
      /c\.json, line 1, column \d+: engine\.exact is given twice\.$/,
    ],
    [{ engine: 5 }, /c\.json, line 1, column \d+: engine must be an object of settings\.$/],
    [{ engine: [] }, /c\.json, line 1, column \d+: engine must be an object of settings\.$/],
    [{ engine: { colour: 1 } }, /c\.json, line 1, column \d+: engine\.colour is not a setting/],
    [{ engine: { exact: { on: true } } }, /c\.json, line 1, column \d+: engine\.exact must be true or false/],
    [{ colour: {} }, /c\.json, line 1, column \d+: colour is not a setting/],
    [{ name: { a: 1 } }, /c\.json, line 1, column \d+: name must be a string/],
    ['[]', /c\.json: the configuration must be a JSON object\.$/],
    [
      '{',
      /c\.json: not valid JSON, line 1, column 2: Expected a name in double quotes, found the end of the file\.$/,
    ],
    [
      { engine: { exat: true } },
      /c\.json, line 1, column 12: engine\.exat is not a setting\. Did you mean engine\.exact\?/,
    ],
    [{ exact: true }, /exact is not a setting\. Did you mean engine\.exact\?/],
  ] as const) {
    t.throws(() => fromFile(value), { name: 'SettingsError', message }, JSON.stringify(value));
  }
  t.throws(() => read({}, join(t.testdir({}), 'none.json')), {
    name: 'SettingsError',
    message: /none\.json/,
  });
});
