import { test } from 'tap';
import { barsOf, modelsOf, select, totalOf, type UsageRow } from '../../src/console/usage/days.js';

const row = (day: string, model: string, kind: 'live' | 'batch', amount: number): UsageRow => ({
  day,
  model,
  kind,
  requests: 1,
  input_tokens: 10 * amount,
  amount,
});

const ROWS = [
  row('2028-02-28', 'a', 'batch', 1),
  row('2028-02-28', 'b', 'live', 2),
  row('2028-03-01', 'a', 'live', 4),
  row('2028-03-01', 'b', 'live', 8),
];

test('a bar for every day, a leap day included, with the charges of both kinds', async (t) => {
  t.strictSame(barsOf({ from: '2028-02-27', to: '2028-03-01' }, ROWS), [
    { day: '2028-02-27', amounts: { live: 0, batch: 0 }, sum: 0 },
    { day: '2028-02-28', amounts: { live: 2, batch: 1 }, sum: 3 },
    { day: '2028-02-29', amounts: { live: 0, batch: 0 }, sum: 0 },
    { day: '2028-03-01', amounts: { live: 12, batch: 0 }, sum: 12 },
  ]);
  t.equal(barsOf({ from: '2028-02-27', to: '2028-02-27' }, []).length, 1);
  t.equal(barsOf({ from: '2026-03-01', to: '2026-05-31' }, []).length, 92, 'clocks that change lose no day');
});

test('rows are selected by model and kind, and summed', async (t) => {
  const amounts = (model: string, kind: 'live' | 'batch' | '') =>
    select(ROWS, { model, kind }).map(({ amount }) => amount);
  t.strictSame(amounts('', ''), [1, 2, 4, 8]);
  t.strictSame(amounts('a', ''), [1, 4]);
  t.strictSame(amounts('', 'live'), [2, 4, 8]);
  t.strictSame(amounts('a', 'live'), [4]);
  t.strictSame(amounts('c', ''), []);
  t.strictSame(modelsOf(ROWS), ['a', 'b']);
  t.strictSame(totalOf(ROWS), { requests: 4, input_tokens: 150, amount: 15 });
  t.strictSame(totalOf([]), { requests: 0, input_tokens: 0, amount: 0 });
});

test('each row of a year counts in one bar, however many there are', async (t) => {
  const first = Date.parse('2027-03-01');
  const days = Array.from({ length: 366 }, (_, at) =>
    new Date(first + at * 86_400_000).toISOString().slice(0, 10),
  );
  const rows = days.flatMap((day) => Array.from({ length: 300 }, (_, at) => row(day, `m${at}`, 'live', 1)));
  const bars = barsOf({ from: days[0] as string, to: days.at(-1) as string }, rows);
  t.strictSame(
    bars.map(({ day, sum }) => [day, sum]),
    days.map((day) => [day, 300]),
  );
});
