import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { readSettings, type Setting, SettingsError } from '../../src/base/index.js';

const TABLE = [
  { key: 'name', variable: 'DECIDER_NAME', kind: 'text', default: 'none', meaning: '' },
  { key: 'engine.exact', variable: 'DECIDER_EXACT', kind: 'flag', default: false, meaning: '' },
  { key: 'enabled', variable: 'DECIDER_ENABLED', kind: 'flag', default: true, meaning: '' },
  { key: 'port', variable: 'DECIDER_PORT', kind: 'integer', default: 8080, min: 0, max: 65_535, meaning: '' },
] as const satisfies readonly Setting[];

const read = (environment: Record<string, string>, file?: string) => readSettings(TABLE, environment, file);

test('contract points: a flag of the environment is 1, 0, true or false', async (t) => {
  t.equal(read({})['engine.exact'], false);
  t.equal(read({}).enabled, true);
  for (const [text, flag] of [
    ['1', true],
    ['true', true],
    ['0', false],
    ['false', false],
  ] as const) {
    t.equal(read({ DECIDER_EXACT: text })['engine.exact'], flag, text);
    t.equal(read({ DECIDER_ENABLED: text }).enabled, flag, text);
  }
  for (const text of ['yes', 'TRUE', '2', 'on', ' 1', '01']) {
    const expected = new SettingsError('DECIDER_EXACT must be 1, 0, true or false.');
    t.throws(() => read({ DECIDER_EXACT: text }), expected, text);
  }
});

test('contract points: a flag of the file is a JSON boolean, or its word', async (t) => {
  const file = join(t.testdir(), 'c.json');
  const fromFile = (value: unknown, environment: Record<string, string> = {}) => {
    writeFileSync(file, JSON.stringify({ engine: { exact: value } }));
    return read(environment, file)['engine.exact'];
  };
  for (const value of [true, 'true']) t.equal(fromFile(value), true, JSON.stringify(value));
  for (const value of [false, 'false']) t.equal(fromFile(value), false, JSON.stringify(value));
  t.equal(fromFile(true, { DECIDER_EXACT: '0' }), false, 'the environment wins');
  for (const value of [1, 0, '1', null, '', []]) {
    const expected = new SettingsError(`${file}: engine.exact must be true or false.`);
    t.throws(() => fromFile(value), expected, JSON.stringify(value));
  }
});

test('contract points: a variable with an empty value is unset', async (t) => {
  const file = join(t.testdir(), 'c.json');
  writeFileSync(file, JSON.stringify({ name: 'file', port: 1, engine: { exact: true } }));
  const empty = { DECIDER_NAME: '', DECIDER_PORT: '', DECIDER_EXACT: '' };
  t.strictSame({ ...read(empty, file) }, { name: 'file', port: 1, 'engine.exact': true, enabled: true });
  t.strictSame({ ...read(empty) }, { name: 'none', port: 8080, 'engine.exact': false, enabled: true });
  t.equal(read({ DECIDER_CONFIG: '' }).name, 'none');
  t.equal(read({ DECIDER_CONFIG: file }).name, 'file');
  t.equal(read({ DECIDER_OTHER: '' }).name, 'none', 'also one that is not known');
  t.throws(() => read({ DECIDER_OTHER: 'x' }), /DECIDER_OTHER is not known/);
});
