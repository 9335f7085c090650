import { test } from 'tap';
import { readAmount, readModels, readWhole } from '../../src/cli/arguments.js';

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

test('readWhole: a whole number; NaN for anything else', async (t) => {
  t.equal(readWhole('60'), 60);
  for (const text of ['', '1e3', '-1', '0x10', '1.0', ' 1']) t.ok(Number.isNaN(readWhole(text)), text);
});

test('readModels: names separated by spaces or commas, or all', async (t) => {
  t.same(readModels(['a,b', 'c', 'a', ' d , e']), ['a', 'b', 'c', 'd', 'e']);
  t.equal(readModels(['all']), null);
  t.throws(() => readModels(['all', 'a']), {
    name: 'AccessError',
    message: /^models: give either all or a list/,
  });
  t.throws(() => readModels([',']), { name: 'AccessError', message: /^models: name at least one model/ });
});
