import { test } from 'tap';
import { createProgress, quantile, showNumber, showTimes, table, timesOf } from '../../bench/report.js';

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

test('progress is one line with the elapsed seconds, at most every two seconds', async (t) => {
  const lines: string[] = [];
  let now = 1_400;
  const progress = createProgress(
    (line) => void lines.push(line),
    () => now,
  );
  progress('first');
  now += 1_999;
  progress('too early');
  now += 1;
  progress('second');
  t.strictSame(lines, ['[1 s] first\n', '[3 s] second\n']);
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
