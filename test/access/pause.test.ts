import { test } from 'tap';
import { coverOf, lacking, pauseOf } from '../../src/access/index.js';

/** Of each amount; small, so that all combinations are tried and amounts are often equal. */
const AMOUNTS = [-1n, 0n, 1n, 2n, 3n];

test('what credit and budget cover is accepted, and one more is not; a pause is when they cover nothing', async (t) => {
  for (const granted of AMOUNTS)
    for (const budget of [null, ...AMOUNTS])
      for (const charged of AMOUNTS)
        for (const budgetCharged of AMOUNTS) {
          const [funds, charges] = [
            { granted, budget },
            { charged, budgetCharged },
          ];
          const cover = coverOf(funds, charges);
          const found = [lacking(funds, charges, cover), lacking(funds, charges, cover + 1n) === null];
          t.strictSame(found, [null, false], `${granted} ${budget} ${charged} ${budgetCharged}`);
          t.equal(pauseOf(funds, charges) === null, cover > 0n);
          if (charged >= granted) t.equal(pauseOf(funds, charges), 'out_of_credit', 'credit comes first');
        }
});
