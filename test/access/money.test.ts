import { test } from 'tap';
import { parseAmount, parsePrice, readAmount, showAmount, showPrice } from '../../src/access/index.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const UNITS = 10n ** 12n;

test('parseAmount: decimal text to the last of 12 decimals, and back in its shortest form', async (t) => {
  for (const [text, amount, shown] of [
    ['0', 0n, '0.00'],
    ['-0', 0n, '0.00'],
    ['0.000000000001', 1n, '0.000000000001'],
    ['-0.000000000001', -1n, '-0.000000000001'],
    ['1', UNITS, '1.00'],
    ['007.5', 7_500_000_000_000n, '7.50'],
    ['0.1', 100_000_000_000n, '0.10'],
    // As floating-point numbers these would be neither exact nor different.
    ['9007.199254740993', 9_007_199_254_740_993n, '9007.199254740993'],
    ['9007.199254740992', 9_007_199_254_740_992n, '9007.199254740992'],
    ['0.300000000000', 300_000_000_000n, '0.30'],
    ['-12.345', -12_345_000_000_000n, '-12.345'],
  ] as const) {
    t.equal(parseAmount(text), amount, text);
    t.equal(showAmount(amount), shown, text);
  }
});

test('parseAmount: at most 15 digits before the point and 12 after it', async (t) => {
  const largest = `${'9'.repeat(15)}.${'9'.repeat(12)}`;
  t.equal(parseAmount(largest), 10n ** 27n - 1n);
  t.equal(parseAmount(`-${largest}`), 1n - 10n ** 27n);
  t.equal(parseAmount(`1${'0'.repeat(15)}`), null);
  t.equal(parseAmount(`0${'0'.repeat(15)}`), null);
  t.equal(parseAmount('0.0000000000000'), null);
  t.equal(parseAmount('0.0000000000001'), null);
});

test('parseAmount: anything else is null', async (t) => {
  const wrong = [
    '',
    '-',
    '+1',
    '.',
    '.5',
    '5.',
    '1e3',
    '1,5',
    '1_0',
    '0x1',
    ' 1',
    '1 ',
    '1\n',
    '--1',
    '1.-5',
  ];
  for (const text of [...wrong, '1.2.3', '£1', 'NaN', 'Infinity', '١', '１']) {
    t.equal(parseAmount(text), null, JSON.stringify(text));
  }
});

test('amounts: text and back is the same amount, and sums of texts are sums of amounts', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer } = random(seed);
  const digits = (count: number) => Array.from({ length: count }, () => integer(10)).join('');
  for (let round = 0; round < scaled({ short: 2_000, long: 10_000 }); round += 1) {
    const units = BigInt(digits(1 + integer(27))) * (integer(2) === 0 ? 1n : -1n);
    const text = showAmount(units);
    if (parseAmount(text) !== units) t.fail(`${units} is shown as ${text}`);
    if (!/^-?(0|[1-9]\d*)\.\d\d(\d*[1-9])?$/.test(text)) t.fail(`${text} is not in its shortest form`);
    const whole = digits(1 + integer(15));
    const fraction = digits(1 + integer(12));
    const parts = (parseAmount(whole) as bigint) + (parseAmount(`0.${fraction}`) as bigint);
    if (parseAmount(`${whole}.${fraction}`) !== parts) t.fail(`${whole}.${fraction}`);
  }
});

test('parsePrice: units per token of a price per million tokens', async (t) => {
  for (const [text, price, shown] of [
    ['0', 0n, '0.00'],
    ['0.0015', 1_500n, '0.0015'],
    ['0.00075', 750n, '0.00075'],
    ['0.000001', 1n, '0.000001'],
    ['1', 1_000_000n, '1.00'],
  ] as const) {
    t.equal(parsePrice(text), price, text);
    t.equal(showPrice(price), shown, text);
  }
  for (const text of ['-0.0015', '0.0000001', '0.0000015', '', 'free', '1e-3'])
    t.equal(parsePrice(text), null, text);
});

test('readAmount: decimal amounts, exactly; anything else is an error that names the argument', async (t) => {
  t.equal(readAmount('amount', '0.000000000001'), 1n);
  t.equal(readAmount('amount', '-999999999999999.5'), -999_999_999_999_999_500_000_000_000n);
  for (const text of [
    '1e3',
    '1,5',
    '0.0000000000001',
    '+1',
    '',
    'one',
    '1000000000000000',
    '-',
    '.5',
    ' 1',
  ]) {
    t.throws(() => readAmount('amount', text), { name: 'AccessError', message: /^amount: / }, text);
  }
});
