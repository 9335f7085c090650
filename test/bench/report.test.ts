import { test } from 'tap';
import { quantile, showNumber, showTimes, table, timesOf } from '../../bench/report.js';

test('median, least and other quantiles', async (t) => {
  t.strictSame(timesOf([5, 1, 9]), { median: 5, min: 1 });
  t.equal(quantile([4, 3, 2, 1], 0.5), 3);
  t.equal(quantile([4, 3, 2, 1], 1), 4);
});

test('numbers keep the decimals that mean something', async (t) => {
  t.strictSame([1.234, 12.34, 123.4, Number.NaN].map(showNumber), ['1.23', '12.3', '123', '–']);
  t.equal(showTimes({ median: 12.34, min: 1 }), '12.3 (1.00)');
  t.equal(showTimes(null), '–');
});

test('columns line up', async (t) => {
  t.equal(
    table(
      ['case', 'ms'],
      [
        ['a', '1'],
        ['long name', '100'],
      ],
    ),
    'case        ms\na            1\nlong name  100',
  );
});
