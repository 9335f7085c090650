import { test } from 'tap';
import { DEFAULT_PRICES, readPrices } from '../../src/access/index.js';

test('contract 8: the default prices, in units per token', async (t) => {
  t.strictSame(
    [...readPrices(DEFAULT_PRICES)],
    [
      ['decider-g-12b', { live: 1_500n, batch: 750n }],
      ['decider-g-31b', { live: 5_000n, batch: 2_500n }],
    ],
  );
});

test('readPrices: spaces around an entry, prices of nothing, names as they come', async (t) => {
  t.strictSame(
    [...readPrices(' a=0/0 ,\n__proto__=0.000001/999999999999999 ')],
    [
      ['a', { live: 0n, batch: 0n }],
      ['__proto__', { live: 1n, batch: 999_999_999_999_999_000_000n }],
    ],
  );
});

test('readPrices: an entry that is none is named', async (t) => {
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
    const message = `billing.prices: "${entry}" is not <class>=<live>/<batch>, prices per million tokens with at most six decimals.`;
    t.throws(() => readPrices(`b=1/1,${entry}`), { name: 'AccessError', message }, entry);
  }
  t.throws(() => readPrices('a=1/1,b=1/1,a=2/2'), {
    name: 'AccessError',
    message: 'billing.prices: a is named twice.',
  });
});
