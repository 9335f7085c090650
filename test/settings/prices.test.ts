import { test } from 'tap';
import { ENTRIES_MAX, InvalidValue } from '../../src/settings/kinds.js';
import { prices } from '../../src/settings/prices.js';

const setting = prices('');
const DEFAULTS = [
  ['decider-g-12b', { live: 1_500n, batch: 750n }],
  ['decider-g-31b', { live: 5_000n, batch: 2_500n }],
];

test('contract 8: the default prices, in units per token', async (t) => {
  t.strictSame([...setting.default], DEFAULTS);
  t.strictSame([...setting.fromText(setting.defaultText)], DEFAULTS);
});

test('prices: spaces around an entry, prices of nothing, any name', async (t) => {
  const expected = [
    ['a', { live: 0n, batch: 0n }],
    ['__proto__', { live: 1n, batch: 999_999_999_999_999_000_000n }],
  ];
  const written = ' a=0/0 ,\n__proto__=0.000001/999999999999999 ';
  t.strictSame([...setting.fromText(written)], expected);
  t.strictSame([...setting.fromJson(written)], expected, 'the text form is accepted in JSON');
  const json =
    '{"a": {"live": 0, "batch": "0"}, "__proto__": {"batch": "999999999999999", "live": 0.000001}}';
  t.strictSame([...setting.fromJson(JSON.parse(json))], expected);
});

test('prices: a JSON number is read as it is written', async (t) => {
  const json = '{"a": {"live": 0.0015, "batch": 0.00075}, "b": {"live": 0.1, "batch": 123456789.123456}}';
  t.strictSame(
    [...setting.fromJson(JSON.parse(json)).values()],
    [
      { live: 1_500n, batch: 750n },
      { live: 100_000n, batch: 123_456_789_123_456n },
    ],
  );
});

test('prices: an entry that is none is named', async (t) => {
  for (const entry of [
    '',
    'a',
    'a=1',
    'a=1/',
    'a=/1',
    '=1/1',
    'a=1/1/1',
    'a=-1/1',
    'a=1/-1',
    'a=0.0000001/1',
    'a=1/0.0000001',
    'a=1e3/1',
    'a = 1/1',
    'a=1 / 1',
  ]) {
    const message = `has the entry "${entry}", which is not <class>=<live>/<batch>; a price is per million tokens and has at most 6 decimals.`;
    t.throws(() => setting.fromText(`b=1/1,${entry}`), new InvalidValue(message), entry);
  }
  t.throws(() => setting.fromText('a=1/1,b=1/1,a=2/2'), new InvalidValue('names the price class a twice.'));
});

test('prices: in JSON both prices and nothing else', async (t) => {
  for (const entry of [
    null,
    1,
    '1/1',
    [],
    {},
    { live: 1 },
    { batch: 1 },
    { live: 1, batch: null },
    { live: -1, batch: 1 },
    { live: 0.0000001, batch: 1 },
    { live: 1e21, batch: 1 },
    { live: '', batch: 1 },
    { live: [1], batch: 1 },
    { live: 1, batch: 1, image: 1 },
  ]) {
    const message = /^needs exactly `live` and `batch` for "a"/;
    t.throws(
      () => setting.fromJson({ b: { live: 1, batch: 1 }, a: entry }),
      { message },
      JSON.stringify(entry),
    );
  }
  for (const value of [null, 1, true, []]) {
    t.throws(() => setting.fromJson(value), InvalidValue, JSON.stringify(value));
  }
});

test('prices: 1 to the most classes', async (t) => {
  const classes = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, { live: 1, batch: 1 }]));
  t.equal(setting.fromJson(classes(ENTRIES_MAX)).size, ENTRIES_MAX);
  t.throws(() => setting.fromJson(classes(ENTRIES_MAX + 1)), InvalidValue);
  t.throws(() => setting.fromJson({}), InvalidValue);
});
