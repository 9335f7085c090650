import { test } from 'tap';
import { readModels, readWhole } from '../../src/cli/arguments.js';

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
