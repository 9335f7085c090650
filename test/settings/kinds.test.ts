import { test } from 'tap';
import {
  choice,
  duration,
  ENTRIES_MAX,
  InvalidValue,
  integer,
  list,
  type Setting,
  TEXT_CHARACTERS_MAX,
  text,
} from '../../src/settings/kinds.js';

const refused = (read: () => unknown) => {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidValue) return InvalidValue;
    throw error;
  }
};

/** What each form of a value gives; InvalidValue if it is refused. */
const both = (setting: Setting<unknown>, written: string, json: unknown) => [
  refused(() => setting.fromText(written)),
  refused(() => setting.fromJson(json)),
];

test('string: up to its limit', async (t) => {
  const setting = text({ default: '', meaning: '' });
  const most = 'x'.repeat(TEXT_CHARACTERS_MAX);
  t.strictSame(both(setting, most, most), [most, most]);
  t.strictSame(both(setting, `${most}x`, `${most}x`), [InvalidValue, InvalidValue]);
  for (const value of ['', 1, true, null, [], {}])
    t.equal(
      refused(() => setting.fromJson(value)),
      InvalidValue,
    );
});

test('integer: between its bounds, in JSON a number', async (t) => {
  const setting = integer({ default: 1, min: -1, max: 10, meaning: '' });
  for (const value of [-1, 0, 10]) t.strictSame(both(setting, String(value), value), [value, value]);
  for (const value of [-2, 11, 1.5]) {
    t.strictSame(both(setting, String(value), value), [InvalidValue, InvalidValue]);
  }
  t.strictSame(both(setting, '1e0', '1'), [InvalidValue, InvalidValue]);
});

test('duration: milliseconds, or a number with a unit', async (t) => {
  const setting = duration({ default: 1, min: 1, max: 3_600_000, meaning: '' });
  for (const [written, ms] of [
    ['1', 1],
    ['1ms', 1],
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['3600000', 3_600_000],
  ] as const) {
    t.strictSame(both(setting, written, written), [ms, ms], written);
  }
  t.equal(setting.fromJson(1_500), 1_500);
  for (const written of ['0', '0s', '3600001', '61m', '2h', '1.5s', '-1', '1 s', '1d', 's', '1e3']) {
    t.strictSame(both(setting, written, written), [InvalidValue, InvalidValue], written);
  }
  for (const value of [0, 1.5, -1, 3_600_001, null, true, [1], {}]) {
    t.equal(
      refused(() => setting.fromJson(value)),
      InvalidValue,
      JSON.stringify(value),
    );
  }
});

test('choice: one of the names', async (t) => {
  const setting = choice({ choices: ['a', 'b'], default: 'a', meaning: '' });
  t.strictSame(both(setting, 'b', 'b'), ['b', 'b']);
  t.strictSame(both(setting, 'B', 0), [InvalidValue, InvalidValue]);
});

test('list: an array, or names separated by commas; each once, up to the limit', async (t) => {
  const setting = list({ default: [], meaning: '' });
  t.strictSame(both(setting, ' a, b,,a ', [' a', 'b', 'a']), [
    ['a', 'b'],
    ['a', 'b'],
  ]);
  t.strictSame(both(setting, ',', []), [[], []]);
  t.strictSame(setting.fromJson('a,b'), ['a', 'b'], 'the text form is accepted in JSON');
  const names = Array.from({ length: ENTRIES_MAX }, (_, at) => `n${at}`);
  t.strictSame(both(setting, names.join(','), names), [names, names]);
  const more = [...names, 'one more'];
  t.strictSame(both(setting, more.join(','), more), [InvalidValue, InvalidValue]);
  for (const value of ['', 1, null, {}, [''], [' '], [1], [['a']]]) {
    t.equal(
      refused(() => setting.fromJson(value)),
      InvalidValue,
      JSON.stringify(value),
    );
  }
});
